#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/task/definition.hpp>
#include <assay/task/named.hpp>
#include <assay/tensor/dtype.hpp>

namespace assay::operators {

/// What an operator's code assumes of its definition: everything that decides addresses and meaning, and
/// nothing that is for people (tags, descriptions, the Python reference).
struct Interface {
  struct Argument {
    std::optional<std::vector<std::string>> shape;  ///< Names of axes; absent for a scalar.
    tensor::DType dtype = tensor::DType::float32;
  };
  std::string name;
  task::Named<std::optional<std::int64_t>> axes;  ///< Value of a constant axis; absent for a variable one.
  task::Named<Argument> inputs;                   ///< In calling order.
  task::Named<Argument> outputs;
};

/// Holds a definition against what the code assumes. The error names the first difference by its JSON
/// pointer, what is there and what must be. Axes may come in any order; inputs and outputs may not.
[[nodiscard]] base::Result<void> check_interface(const Interface& meant, const task::Definition& definition);

}  // namespace assay::operators
