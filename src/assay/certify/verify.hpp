#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <assay/archive/decisions.hpp>
#include <assay/base/digest.hpp>
#include <assay/base/error.hpp>
#include <assay/base/json.hpp>
#include <assay/certify/files.hpp>
#include <assay/certify/numbers.hpp>

namespace assay::certify {

/// A link of the chain as a certificate has it.
struct HeldLink {
  std::int64_t number = 0;
  base::Digest digest;
};

/// What became of a check. No differences: every file has its digest, every field was derived anew from the raw samples,
/// the configuration and the journal, and says the same.
struct Verification {
  std::vector<Difference> differences;
  base::Digest digest;      ///< Of certificate.json: what to write down elsewhere. It names all else.
  std::size_t files = 0;    ///< Whose digests were recomputed.
  std::size_t samples = 0;  ///< Raw ones, of all sessions.

  // What is certified; only if it holds.
  std::string campaign;
  int candidate = 0;
  std::string name;
  std::string promoted_by;
  std::string status;  ///< "confirmed", "not_confirmed" or "unconfirmed".
  std::vector<HeldLink> links;

  [[nodiscard]] bool holds() const { return differences.empty(); }
};

/// Recomputes a certificate from its own files, offline; nothing of a candidate is run. What cannot be read at all
/// (no JSON, another version) is an input error; everything else that is wrong is a difference.
[[nodiscard]] base::Result<Verification> verify(const Files& files);

/// Holds the links of a certificate that holds against an archive's chain: the part that only a second copy can tell,
/// for whoever forges a certificate whole can forge its digests too.
[[nodiscard]] std::vector<Difference> chain_differences(const Verification& certificate,
                                                        const std::vector<archive::ChainedDecision>& chain);

[[nodiscard]] base::Json encode(const Verification& verification);

}  // namespace assay::certify
