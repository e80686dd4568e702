#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <assay/base/digest.hpp>
#include <assay/base/error.hpp>
#include <assay/task/named.hpp>
#include <assay/tensor/dtype.hpp>
#include <assay/tensor/shape.hpp>

namespace assay::task {

/// One axis of a definition: constant with a value, or variable (a workload gives the value). FlashInfer's dialect has
/// constants whose value no call had fixed when the definition was traced; such a definition cannot be run.
struct Axis {
  enum class Kind : std::uint8_t { constant, variable };
  Kind kind = Kind::variable;
  std::int64_t value = 0;  ///< Only for constants; >= 0.
  std::optional<std::string> description = std::nullopt;
  bool unresolved = false;  ///< A constant without a value; `value` is then 0.
};

/// One input or output. Without a shape it is a scalar passed by value; an empty shape is a 0-d tensor.
struct TensorSpec {
  std::optional<std::vector<std::string>> shape;  ///< Names of axes.
  tensor::DType dtype = tensor::DType::float32;
  std::optional<std::string> description = std::nullopt;
  bool optional = false;  ///< FlashInfer's dialect: a call may leave it out.
  /// FlashInfer's dialect, outputs alone: the API's parameter that the output is written into (see in_place_input).
  std::optional<std::string> param = std::nullopt;
};

/// An operator's contract, as in the FlashInfer-Trace schema. The order of inputs, then outputs, is the calling order.
struct Definition {
  std::string name;
  std::string op_type;
  Named<Axis> axes;
  Named<TensorSpec> inputs;
  Named<TensorSpec> outputs;
  /// Python source with a top-level `run`, or in FlashInfer's dialect `_<op>_reference` or nothing at all (see
  /// reference_function in python_syntax.hpp). Never executed by this layer.
  std::string reference;
  std::vector<std::string> tags;
  std::optional<std::string> description;
  std::vector<std::string> constraints;  ///< Python expressions over axes and inputs (task/constraint.hpp).
  std::optional<std::string> check;      ///< FlashInfer's dialect: Python source of a function that compares outputs.
  std::optional<std::string> init;       ///< FlashInfer's dialect: Python source of a function that makes valid inputs.
};

/// Returns the input that an output is written over: the one that its `param` names, else the one that has its own
/// name, else null. Assay gives such an output a buffer of its own, behind the inputs; the input stays as it was.
[[nodiscard]] const std::string* in_place_input(const Definition& definition, std::string_view output);

/// Axis name to value, for one workload; constants included.
using AxisValues = Named<std::int64_t>;

/// Joins the definition's constants with a workload's axes. A missing, unknown or contradicting axis is an input error.
[[nodiscard]] base::Result<AxisValues> resolve_axes(const Definition& definition, const AxisValues& workload_axes);

/// Resolves a tensor's shape. The spec must have a shape and its axes must be in `axes`.
[[nodiscard]] base::Result<tensor::Shape> resolve_shape(const TensorSpec& spec, const AxisValues& axes);

}  // namespace assay::task
