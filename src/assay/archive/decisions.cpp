#include <assay/archive/decisions.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include <assay/archive/archive.hpp>
#include <assay/archive/database.hpp>
#include <assay/archive/store.hpp>
#include <assay/base/json.hpp>

namespace assay::archive {
namespace {

// Part of every digest: a change of what is hashed, or how, needs a new tag. Persisted in archives and certificates.
constexpr std::string_view kJournalTag = "assay.journal.1";
constexpr std::string_view kRecordTag = "assay.decision.record.1";
constexpr std::string_view kLinkTag = "assay.decision.link.1";

constexpr std::array<std::string_view, 5> kDecisions = {"candidate_swept", "candidate_promoted", "candidate_refused",
                                                        "candidate_demoted", "campaign_confirmed"};
// The same, for SQL.
constexpr const char* kDecisionList =
    "('candidate_swept', 'candidate_promoted', 'candidate_refused', 'candidate_demoted', 'campaign_confirmed')";

base::Result<base::Digest> digest_in(const Rows& rows, int column, const Database& database) {
  auto digest = base::Digest::parse(rows.text(column));
  if (!digest) {
    return base::environment_error("archive.damaged", fmt::format("{}: a link of the decisions' chain holds \"{}\", "
                                                                  "which is no digest: run `assay archive verify`",
                                                                  database.file(), rows.text(column)));
  }
  return *digest;
}

// The id of the evaluation that a decision's entry names; empty if it names none.
std::string evaluation_in(const std::string& body) {
  const auto json = base::parse_json(body, "entry");
  if (!json || !json->is_object() || !json->contains("evaluation") || !(*json)["evaluation"].is_string()) {
    return {};
  }
  return (*json)["evaluation"].get<std::string>();
}

base::Result<std::optional<base::Digest>> evidence_of(const Database& database, const std::string& body) {
  ASSAY_TRY_ASSIGN(Rows rows, database.query("SELECT bundle FROM evaluations WHERE id = ?", {evaluation_in(body)}));
  ASSAY_TRY_ASSIGN(const bool found, rows.next());
  if (!found) {
    return std::nullopt;
  }
  ASSAY_TRY_ASSIGN(const base::Digest digest, digest_in(rows, 0, database));
  return std::optional(digest);
}

// A journal up to an entry, and what its last entry says.
struct Prefix {
  base::Digest journal;
  std::string last_body;
};

base::Result<Prefix> read_prefix(const Database& database, const std::string& campaign, std::int64_t sequence) {
  ASSAY_TRY_ASSIGN(Rows rows, database.query("SELECT sequence, kind, body, at FROM events WHERE campaign = ? AND "
                                             "sequence <= ? ORDER BY sequence",
                                             {campaign, sequence}));
  Prefix prefix;
  while (true) {
    ASSAY_TRY_ASSIGN(const bool more, rows.next());
    if (!more) {
      return prefix;
    }
    prefix.last_body = rows.text(2);
    prefix.journal = extend_journal(prefix.journal, {rows.integer(0), rows.text(1), rows.text(2), rows.text(3)});
  }
}

base::Result<base::Digest> configuration_of(const Database& database, const std::string& campaign) {
  ASSAY_TRY_ASSIGN(Rows rows, database.query("SELECT configuration FROM campaigns WHERE name = ?", {campaign}));
  ASSAY_TRY_ASSIGN(const bool found, rows.next());
  return found ? base::sha256(rows.text(0)) : base::Digest();
}

base::Result<DecisionRecord> make_record(const Database& database, std::int64_t number, const std::string& campaign,
                                         std::int64_t sequence, Chained chained) {
  DecisionRecord record{number, campaign, sequence, chained, {}, {}, std::nullopt};
  ASSAY_TRY_ASSIGN(record.configuration, configuration_of(database, campaign));
  ASSAY_TRY_ASSIGN(const Prefix prefix, read_prefix(database, campaign, sequence));
  record.journal = prefix.journal;
  ASSAY_TRY_ASSIGN(record.evidence, evidence_of(database, prefix.last_body));
  return record;
}

using Places = std::vector<std::pair<std::string, std::int64_t>>;

base::Result<Places> read_places(const Database& database, const std::string& sql) {
  ASSAY_TRY_ASSIGN(Rows rows, database.query(sql));
  Places places;
  while (true) {
    ASSAY_TRY_ASSIGN(const bool more, rows.next());
    if (!more) {
      return places;
    }
    places.emplace_back(rows.text(0), rows.integer(1));
  }
}

std::string words(const std::optional<base::Digest>& digest) { return digest ? digest->hex() : "none"; }

// What is wrong with one link; empty if nothing is.
base::Result<std::string> link_problem(const Database& database, const ChainedDecision& link, std::int64_t expected,
                                       const base::Digest& predecessor) {
  const std::string who = fmt::format("decision {} (campaign {}, entry {})", link.number, link.campaign, link.sequence);
  if (link.number != expected) {
    return fmt::format("the chain of decisions lacks decision {}: after {} comes {}", expected, expected - 1, who);
  }
  if (link.predecessor != predecessor) {
    return fmt::format("{}: names predecessor {} and the decision before it has digest {}", who, link.predecessor.hex(),
                       predecessor.hex());
  }
  ASSAY_TRY_ASSIGN(const DecisionRecord record,
                   make_record(database, link.number, link.campaign, link.sequence, link.chained));
  if (record.evidence != link.evidence) {
    return fmt::format("{}: rests on manifest {} and the evaluation that its entry names has {}", who,
                       words(link.evidence), words(record.evidence));
  }
  if (record_digest(record) != link.record) {
    return fmt::format(
        "{}: was chained with record {} and now gives {}: the campaign's configuration or an entry of "
        "its journal up to this one was changed",
        who, link.record.hex(), record_digest(record).hex());
  }
  if (link_digest(link.predecessor, link.record) != link.digest) {
    return fmt::format("{}: has digest {} and its predecessor and record give {}", who, link.digest.hex(),
                       link_digest(link.predecessor, link.record).hex());
  }
  return std::string();
}

}  // namespace

std::string_view to_string(Chained chained) {
  return chained == Chained::with_entry ? "with its entry" : "at migration";
}

bool is_decision(std::string_view kind) {
  return std::find(kDecisions.begin(), kDecisions.end(), kind) != kDecisions.end();
}

base::Digest extend_journal(const base::Digest& before, const Event& entry) {
  base::Sha256 hash;
  hash.update_framed(kJournalTag);
  hash.update_framed(before.hex());
  hash.update_framed(std::to_string(entry.sequence));
  hash.update_framed(entry.kind);
  hash.update_framed(entry.body);
  hash.update_framed(entry.at);
  return hash.finish();
}

base::Digest record_digest(const DecisionRecord& record) {
  base::Sha256 hash;
  hash.update_framed(kRecordTag);
  hash.update_framed(std::to_string(record.number));
  hash.update_framed(record.campaign);
  hash.update_framed(std::to_string(record.sequence));
  hash.update_framed(to_string(record.chained));
  hash.update_framed(record.configuration.hex());
  hash.update_framed(record.journal.hex());
  hash.update_framed(record.evidence ? record.evidence->hex() : std::string());
  return hash.finish();
}

base::Digest link_digest(const base::Digest& predecessor, const base::Digest& record) {
  base::Sha256 hash;
  hash.update_framed(kLinkTag);
  hash.update_framed(predecessor.hex());
  hash.update_framed(record.hex());
  return hash.finish();
}

base::Result<void> chain_decision(const Database& database, const std::string& campaign, std::int64_t sequence,
                                  Chained chained) {
  std::int64_t number = 1;
  base::Digest predecessor;
  {
    ASSAY_TRY_ASSIGN(Rows last, database.query("SELECT number, digest FROM decisions ORDER BY number DESC LIMIT 1"));
    ASSAY_TRY_ASSIGN(const bool found, last.next());
    if (found) {
      number = last.integer(0) + 1;
      ASSAY_TRY_ASSIGN(predecessor, digest_in(last, 1, database));
    }
  }
  ASSAY_TRY_ASSIGN(const DecisionRecord record, make_record(database, number, campaign, sequence, chained));
  const base::Digest digest = record_digest(record);
  ASSAY_TRY(database.execute(
      "INSERT INTO decisions (number, campaign, sequence, chained, evidence, record, predecessor, digest) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      {number, campaign, sequence, static_cast<std::int64_t>(chained),
       record.evidence ? Value(record.evidence->hex()) : Value(), digest.hex(), predecessor.hex(),
       link_digest(predecessor, digest).hex()}));
  return {};
}

base::Result<void> chain_earlier_decisions(const Database& database) {
  ASSAY_TRY_ASSIGN(const Places places,
                   read_places(database, fmt::format("SELECT e.campaign, e.sequence FROM events e JOIN campaigns c ON "
                                                     "c.name = e.campaign WHERE e.kind IN {} "
                                                     "ORDER BY c.rowid, e.sequence",
                                                     kDecisionList)));
  for (const auto& [campaign, sequence] : places) {
    ASSAY_TRY(chain_decision(database, campaign, sequence, Chained::at_migration));
  }
  return {};
}

base::Result<std::vector<ChainedDecision>> read_chain(const Database& database) {
  ASSAY_TRY_ASSIGN(Rows rows, database.query("SELECT number, campaign, sequence, chained, evidence, record, "
                                             "predecessor, digest FROM decisions ORDER BY number"));
  std::vector<ChainedDecision> chain;
  while (true) {
    ASSAY_TRY_ASSIGN(const bool more, rows.next());
    if (!more) {
      return chain;
    }
    ChainedDecision& link = chain.emplace_back();
    link.number = rows.integer(0);
    link.campaign = rows.text(1);
    link.sequence = rows.integer(2);
    link.chained = rows.integer(3) == 0 ? Chained::with_entry : Chained::at_migration;
    if (!rows.is_null(4)) {
      ASSAY_TRY_ASSIGN(link.evidence, digest_in(rows, 4, database));
    }
    ASSAY_TRY_ASSIGN(link.record, digest_in(rows, 5, database));
    ASSAY_TRY_ASSIGN(link.predecessor, digest_in(rows, 6, database));
    ASSAY_TRY_ASSIGN(link.digest, digest_in(rows, 7, database));
  }
}

base::Result<std::vector<std::string>> chain_problems(const Database& database) {
  std::vector<std::string> problems;
  ASSAY_TRY_ASSIGN(const std::vector<ChainedDecision> chain, read_chain(database));
  std::int64_t expected = 1;
  base::Digest predecessor;
  for (const ChainedDecision& link : chain) {
    ASSAY_TRY_ASSIGN(const std::string problem, link_problem(database, link, expected, predecessor));
    if (!problem.empty()) {
      problems.push_back(problem);
      break;
    }
    ++expected;
    predecessor = link.digest;
  }
  ASSAY_TRY_ASSIGN(const Places unchained,
                   read_places(database, fmt::format("SELECT e.campaign, e.sequence FROM events e LEFT JOIN decisions "
                                                     "d ON d.campaign = e.campaign AND d.sequence = e.sequence "
                                                     "WHERE d.number IS NULL AND e.kind IN {} "
                                                     "ORDER BY e.campaign, e.sequence",
                                                     kDecisionList)));
  for (const auto& [campaign, sequence] : unchained) {
    problems.push_back(
        fmt::format("campaign {}: entry {} is a decision and in no link of the chain", campaign, sequence));
  }
  return problems;
}

base::Result<std::vector<ChainedDecision>> Archive::decisions() const { return read_chain(implementation_->database); }

}  // namespace assay::archive
