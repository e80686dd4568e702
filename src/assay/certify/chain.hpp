#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <assay/archive/decisions.hpp>
#include <assay/base/digest.hpp>
#include <assay/base/error.hpp>
#include <assay/base/json.hpp>
#include <assay/certify/evidence.hpp>

namespace assay::certify {

/// What a certificate must be told of one link of the archive's chain; all else follows from the evidence. Between the
/// campaign's own links lie those of other campaigns, of which only the record's digest is given away.
struct Link {
  std::int64_t number = 0;
  bool own = false;
  archive::Chained chained = archive::Chained::with_entry;  ///< Only of an own one.
  /// Of an own one whose bundle is not in the certificate (a sweep that promoted nothing): its manifest.
  std::optional<base::Digest> evidence;
  base::Digest predecessor;
  base::Digest record;  ///< Of an own one it is recomputed.
};

/// Takes the links from the sweep's decision to the last one of the evidence out of the archive's chain. A decision that is
/// in no link is an environment error.
[[nodiscard]] base::Result<std::vector<Link>> choose_links(const std::vector<archive::ChainedDecision>& chain,
                                                           const Evidence& evidence);

/// Encodes links as the evidence has them: numbers and predecessors follow from the first, own records from the journal,
/// the configuration and the bundles.
[[nodiscard]] base::Json derive_chain(const std::vector<Link>& links, const Evidence& evidence);

/// Reads what derive_chain must be told from a certificate; everything else in it is compared later.
[[nodiscard]] base::Result<std::vector<Link>> decode_links(const base::Json& json, std::string_view source);

}  // namespace assay::certify
