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

/// One axis of a definition: constant with a value, or variable (a workload gives the value).
struct Axis {
  enum class Kind : std::uint8_t { constant, variable };
  Kind kind = Kind::variable;
  std::int64_t value = 0;  ///< Only for constants; >= 0.
  std::optional<std::string> description;
};

/// One input or output. Without a shape it is a scalar passed by value; an empty shape is a 0-d tensor.
struct TensorSpec {
  std::optional<std::vector<std::string>> shape;  ///< Names of axes.
  tensor::DType dtype = tensor::DType::float32;
  std::optional<std::string> description;
};

/// An operator's contract, as in the FlashInfer-Trace schema. The order of inputs, then outputs, is the calling order.
struct Definition {
  std::string name;
  std::string op_type;
  Named<Axis> axes;
  Named<TensorSpec> inputs;
  Named<TensorSpec> outputs;
  std::string reference;  ///< Python source with a top-level `run`. Never executed by this layer.
  std::vector<std::string> tags;
  std::optional<std::string> description;
  std::vector<std::string> constraints;  ///< Python expressions over the axes.
};

/// Axis name to value, for one workload; constants included.
using AxisValues = Named<std::int64_t>;

/// Joins the definition's constants with a workload's axes. A missing, unknown or contradicting axis is an input error.
[[nodiscard]] base::Result<AxisValues> resolve_axes(const Definition& definition, const AxisValues& workload_axes);

/// Resolves a tensor's shape. The spec must have a shape and its axes must be in `axes`.
[[nodiscard]] base::Result<tensor::Shape> resolve_shape(const TensorSpec& spec, const AxisValues& axes);

}  // namespace assay::task
