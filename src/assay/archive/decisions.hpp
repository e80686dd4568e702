#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <assay/base/digest.hpp>
#include <assay/base/error.hpp>

namespace assay::archive {

class Database;
struct Event;

/// Decisions of all campaigns form one chain of digests: each link holds the digest of the one before it, so that nothing
/// that was decided, or that it rests on, can be changed later without every link after it. What a digest covers is
/// persisted (docs/certificates.md) and never changes.

/// How a decision came into the chain. Persisted as 0 and 1, and in certificates as "with its entry" and "at migration".
enum class Chained : std::uint8_t {
  with_entry,    ///< In one transaction with its entry of the journal.
  at_migration,  ///< When an older archive was brought up to date: what is before that, the chain does not vouch for.
};

[[nodiscard]] std::string_view to_string(Chained chained);

/// What a link says; its digest is `record_digest`.
struct DecisionRecord {
  std::int64_t number = 0;  ///< From 1 over the whole archive, without gaps.
  std::string campaign;
  std::int64_t sequence = 0;  ///< Of its entry in the campaign's journal.
  Chained chained = Chained::with_entry;
  base::Digest configuration;  ///< SHA-256 of the campaign's configuration, as it is stored.
  base::Digest journal;        ///< Of the journal up to and with this entry (extend_journal).
  std::optional<base::Digest>
      evidence;  ///< SHA-256 of the manifest of the evaluation that the entry names, if it does.
};

/// One link.
struct ChainedDecision {
  std::int64_t number = 0;
  std::string campaign;
  std::int64_t sequence = 0;
  Chained chained = Chained::with_entry;
  std::optional<base::Digest> evidence;
  base::Digest record;
  base::Digest predecessor;  ///< The digest of the link before; of the first: 32 zero bytes.
  base::Digest digest;
};

/// Tells whether an entry of this kind is a decision: a sweep's, a promotion, a refusal, a confirmation. The kinds are
/// control's (control/events.hpp); an archive of before the chain must find them too.
[[nodiscard]] bool is_decision(std::string_view kind);

/// Returns the digest of a journal that has one more entry; that of the empty journal is 32 zero bytes.
[[nodiscard]] base::Digest extend_journal(const base::Digest& before, const Event& entry);

[[nodiscard]] base::Digest record_digest(const DecisionRecord& record);
[[nodiscard]] base::Digest link_digest(const base::Digest& predecessor, const base::Digest& record);

/// Appends a decision that is in the journal to the chain. Call inside the write transaction of its entry.
[[nodiscard]] base::Result<void> chain_decision(const Database& database, const std::string& campaign,
                                                std::int64_t sequence, Chained chained);

/// Chains what an archive of before decided, campaign by campaign in the order of their creation: part of a migration.
[[nodiscard]] base::Result<void> chain_earlier_decisions(const Database& database);

/// Reads the whole chain in its order.
[[nodiscard]] base::Result<std::vector<ChainedDecision>> read_chain(const Database& database);

/// Holds the chain against journals, configurations and evaluations. Names the first link that is broken, and decisions
/// that are in no link; empty if it is whole. Links that were cut off the end with their entries leave no trace here:
/// whoever holds a certificate has one (docs/certificates.md).
[[nodiscard]] base::Result<std::vector<std::string>> chain_problems(const Database& database);

}  // namespace assay::archive
