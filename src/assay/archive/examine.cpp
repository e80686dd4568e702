#include <assay/archive/examine.hpp>

#include <fmt/core.h>

#include <compare>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include <assay/archive/built_code.hpp>
#include <assay/archive/bundle.hpp>
#include <assay/archive/decisions.hpp>
#include <assay/archive/store.hpp>
#include <assay/base/json.hpp>
#include <assay/base/text.hpp>
#include <assay/task/bundle.hpp>

namespace assay::archive {
namespace {

class Examination {
 public:
  Examination(const Database& database, const blob::BlobStore& blobs) : database_(database), blobs_(blobs) {}

  base::Result<VerifyReport> run() {
    ASSAY_TRY_ASSIGN(const Transaction snapshot, Transaction::begin(database_, Transaction::Kind::read));
    section("integrity_check", check_database());
    section("blobs", check_blobs());
    section("candidates", check_candidates());
    section("evaluations", check_evaluations());
    section("built code", check_built_code());
    section("failing inputs", check_failing_inputs());
    section("imports", check_imports());
    section("campaigns", check_campaigns());
    section("events", check_events_of_all());
    section("decisions", check_decisions());
    return std::move(report_);
  }

 private:
  void problem(std::string text) { report_.problems.push_back(base::printable(text)); }

  // A table that cannot be read is a problem; the other sections are looked at all the same.
  void section(std::string_view name, const base::Result<void>& result) {
    if (!result) {
      problem(fmt::format("{}: {}", name, result.error().text()));
    }
  }

  template <class Visit>
  base::Result<void> each_row(const std::string& sql, const std::vector<Value>& values, const Visit& visit) {
    ASSAY_TRY_ASSIGN(Rows rows, database_.query(sql, values));
    while (true) {
      ASSAY_TRY_ASSIGN(const bool more, rows.next());
      if (!more) {
        return {};
      }
      visit(rows);
    }
  }

  base::Result<void> check_database() {
    ASSAY_TRY(each_row("PRAGMA integrity_check", {}, [&](const Rows& rows) {
      if (rows.text(0) != "ok") {
        problem("database: " + rows.text(0));
      }
    }));
    return each_row("PRAGMA foreign_key_check", {}, [&](const Rows& rows) {
      problem(fmt::format("database: a row of {} names one of {} that does not exist", rows.text(0), rows.text(2)));
    });
  }

  // Reads a blob once and remembers whether it is sound; each user of a bad one is named by `user`.
  std::optional<std::string> blob_of(const std::string& hex, const std::string& user) {
    const auto digest = base::Digest::parse(hex);
    if (!digest) {
      problem(fmt::format("{}: \"{}\" is not a digest", user, hex));
      return std::nullopt;
    }
    auto content = blobs_.get(*digest);
    if (!blobs_.contains(*digest)) {
      problem(fmt::format("{}: blob {} is missing", user, hex));
    } else if (!content) {
      problem(fmt::format("{}: blob {} is damaged: {}", user, hex, content.error().text()));
    } else if (base::sha256(*content) != *digest) {
      problem(fmt::format("{}: blob {} is damaged: its content has another SHA-256", user, hex));
    } else {
      return std::move(*content);
    }
    return std::nullopt;
  }

  // Blobs that no row names: not a problem (gc removes them), unless they are damaged. Those that rows name are read
  // where they are used, so that the problem names the user.
  base::Result<void> check_blobs() {
    std::set<std::string> named;
    ASSAY_TRY(
        each_row("SELECT blob FROM bundle_files UNION SELECT solution_blob FROM candidates UNION "
                 "SELECT blob FROM import_files",
                 {}, [&](const Rows& rows) { named.insert(rows.text(0)); }));
    ASSAY_TRY_ASSIGN(const std::vector<base::Digest> stored, blobs_.list());
    for (const base::Digest& digest : stored) {
      ++report_.blobs;
      if (const auto bytes = blobs_.size_bytes(digest)) {
        report_.blob_bytes += *bytes;
      }
      if (named.count(digest.hex()) == 0) {
        static_cast<void>(blob_of(digest.hex(), "a blob that nothing uses"));
      }
    }
    return {};
  }

  base::Result<void> check_candidates() {
    return each_row("SELECT content, normalised, definition, solution_blob FROM candidates ORDER BY number", {},
                    [&](const Rows& rows) {
                      ++report_.candidates;
                      check_candidate(rows);
                    });
  }

  void check_candidate(const Rows& rows) {
    const std::string who = "candidate " + rows.text(0).substr(0, 12);
    if (!blob_of(rows.text(3), who)) {
      return;
    }
    const auto solution = load_stored_solution(blobs_, *base::Digest::parse(rows.text(3)));
    if (!solution) {
      problem(fmt::format("{}: its solution cannot be read: {}", who, solution.error().text()));
      return;
    }
    const task::CandidateIdentity identity = task::identify(*solution);
    if (identity.content.hex() != rows.text(0)) {
      problem(fmt::format("{}: the solution's content digest is {}", who, identity.content.hex()));
    }
    if (identity.normalised.hex() != rows.text(1) && task::earlier_normalised(*solution).hex() != rows.text(1)) {
      problem(fmt::format("{}: the solution's normalised digest is {}", who, identity.normalised.hex()));
    }
    if (solution->definition != rows.text(2)) {
      problem(fmt::format("{}: its row says definition {} and its solution says {}", who, rows.text(2),
                          solution->definition));
    }
  }

  // That each can be read, and that some evaluation says so: otherwise nobody can tell whom it caught.
  base::Result<void> check_failing_inputs() {
    return each_row(
        "SELECT k.number, k.input, count(f.evaluation) FROM failing_inputs k LEFT JOIN input_failures f "
        "ON f.input = k.number GROUP BY k.number",
        {}, [&](const Rows& rows) {
          const std::string who = fmt::format("failing input {}", rows.integer(0));
          const auto json = base::parse_json(rows.text(1), who);
          const auto read =
              json ? task::as_result(task::decode_whole(*json, task::Coercion::strict, task::read_failing_input), who)
                   : base::Result<task::FailingInput>(tl::unexpected(json.error()));
          if (!read) {
            problem(read.error().text());
          } else if (rows.integer(2) == 0) {
            problem(who + ": no evaluation failed on it");
          }
        });
  }

  base::Result<void> check_imports() {
    ASSAY_TRY(
        each_row("SELECT i.name, f.name, f.blob, f.bytes FROM import_files f JOIN imports i ON i.number = f.import", {},
                 [&](const Rows& rows) {
                   const std::string who = fmt::format("file {} of import {}", rows.text(1), rows.text(0));
                   const auto content = blob_of(rows.text(2), who);
                   if (content && static_cast<std::int64_t>(content->size()) != rows.integer(3)) {
                     problem(fmt::format("{}: has {} bytes, its row says {}", who, content->size(), rows.integer(3)));
                   }
                 }));
    return each_row(
        "SELECT i.name, i.results, count(r.number) FROM imports i LEFT JOIN foreign_results r "
        "ON r.import = i.number GROUP BY i.number",
        {}, [&](const Rows& rows) {
          if (rows.integer(1) != rows.integer(2)) {
            problem(fmt::format("import {}: has {} results, its row says {}", rows.text(0), rows.integer(2),
                                rows.integer(1)));
          }
        });
  }

  base::Result<void> check_evaluations() {
    return each_row(
        "SELECT e.number, e.id, c.content, i.content, e.stage, e.device, e.outcome, e.cause, e.started, "
        "e.wall_seconds, e.bundle, e.candidate, e.incumbent FROM evaluations e LEFT JOIN candidates c ON c.number = "
        "e.candidate "
        "LEFT JOIN candidates i ON i.number = e.incumbent ORDER BY e.number",
        {}, [&](const Rows& rows) {
          ++report_.evaluations;
          section("evaluation " + rows.text(1), check_evaluation(rows));
        });
  }

  base::Result<void> check_evaluation(const Rows& rows) {
    const std::string who = "evaluation " + rows.text(1);
    Bundle bundle{who, {}};
    std::map<std::string, std::string> digests;
    bool whole = true;
    ASSAY_TRY(each_row(
        "SELECT name, blob, bytes FROM bundle_files WHERE evaluation = ?", {rows.integer(0)}, [&](const Rows& file) {
          auto content = blob_of(file.text(1), who + ": " + file.text(0));
          if (!content) {
            whole = false;
            return;
          }
          if (static_cast<std::int64_t>(content->size()) != file.integer(2)) {
            problem(fmt::format("{}: {} has {} bytes and its row says {}", who, file.text(0), content->size(),
                                file.integer(2)));
          }
          bundle.files.push_back({file.text(0), std::move(*content), *base::Digest::parse(file.text(1))});
        }));
    if (!whole) {
      return {};
    }
    check_manifest(who, bundle, rows.text(10));
    ASSAY_TRY_ASSIGN(const BundleContents contents, decode_contents(bundle));
    check_row(who, rows, contents.evaluation);
    note_code(rows.integer(11), who, contents.evaluation.candidate, contents.evaluation.candidate_build.code);
    if (contents.evaluation.incumbent_build && contents.evaluation.incumbent && !rows.is_null(12)) {
      note_code(rows.integer(12), who, *contents.evaluation.incumbent, contents.evaluation.incumbent_build->code);
    }
    return {};
  }

  // What a candidate was built to by this evaluation's own word.
  void note_code(std::int64_t candidate, const std::string& who, const task::CandidateIdentity& identity,
                 const task::BuiltCode& code) {
    for (const CodeLevel level : {CodeLevel::ptx, CodeLevel::sass, CodeLevel::machine_code}) {
      if (const std::string& digest = at_level(code, level); !digest.empty()) {
        built_code_.emplace(Code{candidate, std::string(to_string(level)), digest},
                            fmt::format("{}: built candidate {}", who, identity.content.brief()));
      }
    }
  }

  // The table by which candidates of the same code are found, against the evaluations that it was taken from. An evaluation
  // that could not be read has been told of; what only it says is then told of once more.
  base::Result<void> check_built_code() {
    std::map<Code, std::string> missing = built_code_;
    ASSAY_TRY(
        each_row("SELECT b.candidate, b.level, b.digest, c.content FROM built_code b LEFT JOIN candidates c ON "
                 "c.number = b.candidate",
                 {}, [&](const Rows& rows) {
                   const Code code{rows.integer(0), rows.text(1), rows.text(2)};
                   missing.erase(code);
                   if (built_code_.count(code) == 0) {
                     problem(fmt::format("candidate {}: is said to have been built to {} {}, and no evaluation says so",
                                         rows.text(3).substr(0, 12), code.level, code.digest));
                   }
                 }));
    for (const auto& [code, who_and_what] : missing) {
      problem(fmt::format("{} to {} {}, and the archive's list of built code lacks it", who_and_what, code.level,
                          code.digest));
    }
    return {};
  }

  void check_manifest(const std::string& who, const Bundle& bundle, const std::string& bundle_digest) {
    const BundleFile* manifest = bundle.find(task::kManifestFile);
    if (manifest == nullptr) {
      problem(who + ": manifest.json has no row");
      return;
    }
    if (manifest->digest.hex() != bundle_digest) {
      problem(fmt::format("{}: its row names manifest {} and the stored one is {}", who, bundle_digest,
                          manifest->digest.hex()));
    }
    const auto entries = decode_manifest(manifest->content, who);
    if (!entries) {
      problem(entries.error().text());
      return;
    }
    std::set<std::string> unclaimed;
    for (const BundleFile& file : bundle.files) {
      unclaimed.insert(file.name);
    }
    unclaimed.erase(std::string(task::kManifestFile));
    for (const ManifestEntry& entry : *entries) {
      const BundleFile* file = bundle.find(entry.name);
      if (file == nullptr) {
        problem(fmt::format("{}: {} is in the manifest and has no row", who, entry.name));
      } else if (file->digest != entry.digest) {
        problem(fmt::format("{}: {} has another digest in its row than in the manifest", who, entry.name));
      }
      unclaimed.erase(entry.name);
    }
    for (const std::string& name : unclaimed) {
      problem(fmt::format("{}: {} has a row and is not in the manifest", who, name));
    }
  }

  void check_row(const std::string& who, const Rows& rows, const task::Evaluation& evaluation) {
    const auto same = [&](const char* field, const std::string& row, const std::string& stored) {
      if (row != stored) {
        problem(fmt::format("{}: its row says {} \"{}\" and its evaluation.json says \"{}\"", who, field, row, stored));
      }
    };
    const auto digest = [&](int column) { return rows.is_null(column) ? std::string("none") : rows.text(column); };
    same("id", rows.text(1), evaluation.id);
    same("candidate", digest(2), evaluation.candidate.content.hex());
    same("incumbent", digest(3), evaluation.incumbent ? evaluation.incumbent->content.hex() : "none");
    same("stage", rows.text(4), std::string(task::to_string(evaluation.stage)));
    same("device", rows.text(5), evaluation.device);
    same("outcome", rows.text(6), std::string(task::to_string(evaluation.outcome)));
    same("cause", rows.text(7), evaluation.cause);
    same("start", rows.text(8), evaluation.started);
    same("wall time", fmt::format("{}", rows.real(9)), fmt::format("{}", evaluation.wall_seconds));
  }

  base::Result<void> check_campaigns() {
    return each_row("SELECT name, configuration FROM campaigns", {}, [&](const Rows& rows) {
      check_object(fmt::format("campaign {}: its configuration", rows.text(0)), rows.text(1));
    });
  }

  base::Result<void> check_events_of_all() {
    std::string campaign;
    std::int64_t expected = 1;
    return each_row(
        "SELECT campaign, sequence, kind, body FROM events ORDER BY campaign, sequence", {}, [&](const Rows& rows) {
          if (rows.text(0) != campaign) {
            campaign = rows.text(0);
            expected = 1;
          }
          const std::int64_t sequence = rows.integer(1);
          if (sequence != expected) {
            problem(fmt::format("campaign {}: its journal lacks entries {} to {}", campaign, expected, sequence - 1));
          }
          expected = sequence + 1;
          check_object(fmt::format("campaign {}: entry {} ({})", campaign, sequence, rows.text(2)), rows.text(3));
        });
  }

  base::Result<void> check_decisions() {
    ASSAY_TRY(each_row("SELECT count(*) FROM decisions", {},
                       [&](const Rows& rows) { report_.decisions = static_cast<std::uint64_t>(rows.integer(0)); }));
    ASSAY_TRY_ASSIGN(const std::vector<std::string> broken, chain_problems(database_));
    for (const std::string& one : broken) {
      problem(one);
    }
    return {};
  }

  void check_object(const std::string& who, const std::string& text) {
    const auto json = base::parse_json(text, who);
    if (!json) {
      problem(who + " is not JSON: " + json.error().text());
    } else if (!json->is_object()) {
      problem(who + " is not a JSON object");
    }
  }

  // One entry of the list of built code.
  struct Code {
    std::int64_t candidate = 0;  // Its row.
    std::string level;
    std::string digest;
    auto operator<=>(const Code&) const = default;
  };

  const Database& database_;
  const blob::BlobStore& blobs_;
  std::map<Code, std::string> built_code_;  // And who says so first, of whom.
  VerifyReport report_;
};

}  // namespace

base::Result<VerifyReport> examine(const Database& database, const blob::BlobStore& blobs) {
  return Examination(database, blobs).run();
}

}  // namespace assay::archive
