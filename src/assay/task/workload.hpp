#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <assay/task/definition.hpp>
#include <assay/task/named.hpp>

namespace assay::task {

/// The input is generated (for a known operator: from the distribution that the operator declares).
struct RandomInput {};

/// The input is a Python scalar; the kind that was written is kept.
struct ScalarInput {
  std::variant<std::int64_t, double, bool> value;
};

/// The input lies in a safetensors file, relative to the dataset's root.
struct SafetensorsInput {
  std::string path;
  std::string tensor_key;
};

using InputSpec = std::variant<RandomInput, ScalarInput, SafetensorsInput>;

/// The longest that a row or sequence can be: what is longer is a mistake.
inline constexpr std::int64_t kLongestLength = std::int64_t{1} << 40U;

/// What an input holds, where the dataset has the file that the workload names: the bytes of one tensor, row-major.
struct GivenInput {
  std::string input;
  std::string file;  ///< Its absolute path: whoever reads it need not know the dataset.
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::string sha256;  ///< Of these bytes, in hexadecimal. They are what a result stands for, wherever the file lies.
};

/// One point of a definition's shape space, with where its inputs come from.
struct Workload {
  std::string uuid;
  AxisValues axes;  ///< The variable axes.
  Named<InputSpec> inputs;
  /// Lengths of the rows or sequences, in their order, where the dataset knows them (`lengths/` in its folder): what
  /// they are decides how long a call takes. Not part of the schema: requests carry them, traces do not. Empty:
  /// the operator's generator derives them from the uuid.
  std::vector<std::int64_t> lengths;
  /// Contents of inputs that lie in files, where the dataset has these; carried by requests alone, as lengths are.
  std::vector<GivenInput> given = {};
};

/// Checks a workload against its definition: exactly the variable axes, all > 0, exactly the inputs (optional ones may be
/// left out), scalars where the definition has scalars. Constraints are another matter: task/constraint.hpp. The error names the workload, the JSON pointer and the remedy.
[[nodiscard]] base::Result<void> check_workload(const Definition& definition, const Workload& workload);

}  // namespace assay::task
