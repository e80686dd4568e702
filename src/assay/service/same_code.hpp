#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <assay/archive/archive.hpp>
#include <assay/base/digest.hpp>
#include <assay/base/error.hpp>

namespace assay::service {

/// How two candidates with different bytes can be the same code. Persisted in their spelling.
enum class SameLevel : std::uint8_t {
  normalised_source,  ///< Up to comments and blank space.
  machine_code,       ///< All that runs, and how it is called, is the same (task::BuiltCode).
  sass,               ///< The GPU executes the same; the host code, or the launch plan, is another.
  ptx,                ///< The compiler's assembly for the GPU is the same, what was made of it is not.
  object,  ///< The compiler made the same object of both, byte for byte: the same machine code, whatever the source says.
};
[[nodiscard]] std::string_view to_string(SameLevel level);

struct SameCode {
  base::Digest candidate;
  std::string name;
  SameLevel level = SameLevel::normalised_source;
};

/// Lists the other candidates of the same definition that are the same code as this one; the source's level is named
/// where it applies, then the object's, then the deepest of the others. A difference that an evaluation found between two of them is noise: they are A/A data. Objects are
/// compared only of the same toolchain and as far as evaluations recorded them.
[[nodiscard]] base::Result<std::vector<SameCode>> same_code(const archive::Archive& archive,
                                                            const archive::StoredCandidate& candidate);

}  // namespace assay::service
