#pragma once

#include <cstdint>
#include <string>

#include <assay/base/error.hpp>
#include <assay/service/context.hpp>
#include <assay/task/admissibility.hpp>

namespace assay::service {

struct CheckDefinitionOptions {
  std::string definition;          ///< Empty: the dataset's only one.
  std::string workloads = "gate";  ///< "gate" (three representatives), "all", or UUIDs.
  std::uint64_t seed = 0;
};

/// Has the judge put a definition's tolerances to the proof. Nothing is archived. A tolerance that separates too little
/// is a report, not an error.
[[nodiscard]] base::Result<task::Admissibility> check_definition(const Context& context,
                                                                 const CheckDefinitionOptions& options);

}  // namespace assay::service
