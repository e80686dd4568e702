#pragma once

#include <assay/base/error.hpp>
#include <assay/base/json.hpp>
#include <assay/certify/evidence.hpp>
#include <assay/certify/numbers.hpp>
#include <assay/certify/version.hpp>
#include <assay/promote/policy.hpp>

namespace assay::certify {

/// How sure the bounds for the failure rate are.
inline constexpr double kBoundConfidence = 0.95;

/// Recomputes one session from its raw samples under the policy and says all of it: the decision, the hypothesis that was
/// tested with its evidence and interval, each process pair, the incumbent against itself, the guards, the bounds of the
/// failure rate by stratum, builds and environment. Numbers are not rounded. An error if the samples do not belong to the
/// request, or the judge and its samples disagree (promote::decide). `version`: the certificate's (version.hpp).
[[nodiscard]] base::Result<base::Json> describe_session(const Session& session, const promote::Policy& policy,
                                                        int version = kCertificateVersion);

/// Holds a recomputed decision against the one that the journal has. Numbers agree to 1e-9: they may be another machine's.
/// Its reasons are prose, which another version may put otherwise; they are not compared.
[[nodiscard]] std::vector<Difference> decision_differences(const Session& session, const promote::Decision& recomputed);

/// Names the samples of one process pair: SHA-256 over all their fields, in their order. An edited sample is found by its
/// pair, although the digest of the file says only that something is other.
[[nodiscard]] base::Digest pair_digest(const std::vector<task::Sample>& samples, int pair);

}  // namespace assay::certify
