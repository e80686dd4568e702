#include <assay/certify/evidence.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include <assay/archive/bundle.hpp>
#include <assay/base/json.hpp>
#include <assay/base/text.hpp>
#include <assay/control/requests.hpp>
#include <assay/task/bundle.hpp>
#include <assay/task/codec.hpp>
#include <assay/task/readers.hpp>

namespace assay::certify {
namespace {

using base::Json;

tl::unexpected<base::Error> unreadable(std::string_view place, const std::string& what) {
  return base::input_error("certificate.evidence", fmt::format("{}: {}", place, what));
}

base::Result<std::string> content_of(const Files& files, const std::string& name) {
  const auto found = files.find(name);
  if (found == files.end()) {
    return unreadable(name, "is missing");
  }
  return found->second;
}

base::Result<archive::Event> read_line(const std::string& line, std::int64_t expected) {
  const std::string source = fmt::format("{}: line {}", kJournalFile, expected);
  ASSAY_TRY_ASSIGN(const Json json, base::parse_json(line, source));
  const bool shaped = json.is_object() && json.size() == 4 && json.contains("sequence") && json.contains("kind") &&
                      json.contains("at") && json.contains("body") && json["sequence"].is_number_integer() &&
                      json["kind"].is_string() && json["at"].is_string() && json["body"].is_object();
  if (!shaped) {
    return unreadable(source, "must have exactly sequence, kind, at and body");
  }
  archive::Event event{expected, json["kind"].get<std::string>(), base::dump_compact(json["body"]),
                       json["at"].get<std::string>()};
  ASSAY_TRY_ASSIGN(const std::string canonical, journal_line(event));
  if (canonical != line) {
    return unreadable(source, "is not as Assay writes it");
  }
  return event;
}

base::Result<std::vector<archive::Event>> read_journal(const Files& files) {
  ASSAY_TRY_ASSIGN(const std::string text, content_of(files, std::string(kJournalFile)));
  if (text.empty() || text.back() != '\n') {
    return unreadable(kJournalFile, "does not end with a line");
  }
  std::vector<archive::Event> events;
  for (const std::string& line : base::split(std::string_view(text).substr(0, text.size() - 1), '\n')) {
    ASSAY_TRY_ASSIGN(events.emplace_back(), read_line(line, static_cast<std::int64_t>(events.size()) + 1));
  }
  return events;
}

// What was intended, and the plan that follows from the policy and the journal at that moment.
struct Intent {
  control::EvaluationIntended entry;
  task::SessionPlan plan;
};

// Walks over the journal and notes what its decisions rest on.
class Walk {
 public:
  explicit Walk(Evidence& evidence) : evidence_(evidence) {}

  base::Result<void> run() {
    base::Digest digest;
    for (const archive::Event& event : evidence_.events) {
      ASSAY_TRY_ASSIGN(const control::Entry entry, control::decode_entry(event));
      ASSAY_TRY(control::apply(evidence_.configuration, event, evidence_.state));
      digest = archive::extend_journal(digest, event);
      evidence_.journal.push_back(digest);
      std::visit([&](const auto& kind) { note(event, kind); }, entry);
    }
    return settle();
  }

 private:
  template <class Other>
  void note(const archive::Event& /*event*/, const Other& /*entry*/) {}

  void note(const archive::Event& /*event*/, const control::EvaluationIntended& entry) {
    if (entry.purpose == control::Purpose::sweep || entry.purpose == control::Purpose::confirmation) {
      const control::PendingEvaluation target{entry.purpose, entry.candidate, entry.attempt, entry.evaluation};
      intents_[entry.evaluation] = {
          entry, control::make_request(evidence_.configuration, evidence_.state, target, {}, {}).plan};
    }
  }
  void note(const archive::Event& event, const control::CandidateSwept& entry) {
    const Intent& intent = intents_[entry.evaluation];
    evidence_.tested.push_back({event.sequence, entry.candidate, entry.evaluation, intent.plan.alpha, entry.decision});
    swept_[entry.candidate] = begin_session(kSweepFolder, event, intent, entry.decision);
  }
  void note(const archive::Event& event, const control::CandidatePromoted& entry) {
    evidence_.promotion = entry;
    evidence_.promotion_sequence = event.sequence;
  }
  void note(const archive::Event& event, const control::CampaignConfirmed& entry) {
    evidence_.confirmation = begin_session(kConfirmationFolder, event, intents_[entry.evaluation], entry.decision);
  }

  static Session begin_session(std::string_view folder, const archive::Event& event, const Intent& intent,
                               const promote::Decision& decision) {
    Session session;
    session.folder = folder;
    session.sequence = event.sequence;
    session.intended = intent.entry;
    session.plan = intent.plan;
    session.journalled = decision;
    return session;
  }

  base::Result<void> settle() {
    if (evidence_.promotion_sequence == 0) {
      return unreadable(kJournalFile, "nothing is promoted in it");
    }
    const std::int64_t last = evidence_.confirmation ? evidence_.confirmation->sequence : evidence_.promotion_sequence;
    if (last != evidence_.events.back().sequence) {
      return unreadable(kJournalFile, fmt::format("goes on to entry {} after entry {}, the last that is certified",
                                                  evidence_.events.back().sequence, last));
    }
    evidence_.sweep = swept_[evidence_.promotion.candidate];
    for (const archive::Event& event : evidence_.events) {
      if (event.sequence >= evidence_.sweep.sequence && archive::is_decision(event.kind)) {
        evidence_.decisions.push_back(event.sequence);
      }
    }
    return {};
  }

  Evidence& evidence_;
  std::map<std::string, Intent> intents_;
  std::map<int, Session> swept_;
};

base::Result<void> read_session(const Files& files, Session& session) {
  const auto path = [&](std::string_view name) { return session.folder + "/" + std::string(name); };
  const auto parse = [&](std::string_view name) -> base::Result<Json> {
    ASSAY_TRY_ASSIGN(const std::string text, content_of(files, path(name)));
    return base::parse_json(text, path(name));
  };
  ASSAY_TRY_ASSIGN(const std::string manifest, content_of(files, path(task::kManifestFile)));
  session.manifest = base::sha256(manifest);
  ASSAY_TRY_ASSIGN(const Json request, parse(task::kRequestFile));
  ASSAY_TRY_ASSIGN(session.request, task::decode_request(request, path(task::kRequestFile)));
  ASSAY_TRY_ASSIGN(const Json evaluation, parse(task::kEvaluationFile));
  ASSAY_TRY_ASSIGN(session.evaluation, task::decode_evaluation(evaluation, path(task::kEvaluationFile)));
  ASSAY_TRY_ASSIGN(const Json samples, parse(task::kSamplesFile));
  ASSAY_TRY_ASSIGN(session.samples, task::decode_samples(samples, path(task::kSamplesFile)));
  return {};
}

// Holds the files of one bundle against its manifest.
void check_manifest(const Files& files, const std::string& folder, std::vector<Difference>& found) {
  const std::string place = folder + "/" + std::string(task::kManifestFile);
  const auto text = files.find(place);
  if (text == files.end()) {
    return;  // Already said.
  }
  const auto entries = archive::decode_manifest(text->second, place);
  if (!entries) {
    found.push_back({place, entries.error().text()});
    return;
  }
  std::set<std::string> named = {place};
  for (const archive::ManifestEntry& entry : *entries) {
    const std::string path = folder + "/" + entry.name;
    named.insert(path);
    const auto file = files.find(path);
    if (file == files.end()) {
      found.push_back({path, "is missing, and the bundle's manifest names it"});
      continue;
    }
    const base::Digest digest = base::sha256(file->second);
    if (digest != entry.digest || file->second.size() != entry.bytes) {
      found.push_back({path, fmt::format("has SHA-256 {} and {} bytes, and the bundle's manifest says {} and {}",
                                         digest.hex(), file->second.size(), entry.digest.hex(), entry.bytes)});
    }
  }
  for (auto file = files.lower_bound(folder + "/"); file != files.end() && file->first.starts_with(folder + "/");
       ++file) {
    if (named.count(file->first) == 0) {
      found.push_back({file->first, "is here, and the bundle's manifest does not name it"});
    }
  }
}

// Holds a session against what the campaign asks for.
class SessionCheck {
 public:
  SessionCheck(const Evidence& evidence, const Session& session, std::vector<Difference>& found)
      : evidence_(evidence), session_(session), found_(found) {}

  void run() {
    const task::EvaluationRequest& request = session_.request;
    const task::Evaluation& evaluation = session_.evaluation;
    const control::CampaignConfiguration& configuration = evidence_.configuration;
    same("request.json: /id", request.id, session_.intended.evaluation);
    same("request.json: /stage", std::string(task::to_string(request.stage)), "sweep");
    same("request.json: /device", request.device, configuration.device);
    same("request.json: /definition", base::dump_compact(task::encode(request.definition)),
         base::dump_compact(task::encode(configuration.definition)));
    same("request.json: /workloads", workloads_of(request.workloads), workloads_of(configuration.workloads));
    same("request.json: /candidate", content_of_solution(request.candidate),
         evidence_.identity_of(session_.intended.candidate).content.hex());
    same("request.json: /incumbent", request.incumbent ? content_of_solution(*request.incumbent) : "none",
         evidence_.identity_of(session_.intended.incumbent).content.hex());
    same("request.json: /plan", base::dump_compact(task::encode(request.plan)),
         base::dump_compact(task::encode(session_.plan)));
    same("request.json: /disabled_probes", fmt::format("{} probes", request.disabled_probes.size()), "0 probes");
    same("evaluation.json: /id", evaluation.id, request.id);
    same("evaluation.json: /stage", std::string(task::to_string(evaluation.stage)),
         std::string(task::to_string(request.stage)));
    same("evaluation.json: /device", evaluation.device, request.device);
    same("evaluation.json: /candidate/content", evaluation.candidate.content.hex(),
         content_of_solution(request.candidate));
    same("evaluation.json: /incumbent/content",
         evaluation.incumbent ? evaluation.incumbent->content.hex() : std::string("none"),
         request.incumbent ? content_of_solution(*request.incumbent) : std::string("none"));
    if (request.seed) {
      same("evaluation.json: /seed", std::to_string(evaluation.seed), std::to_string(*request.seed));
    }
  }

 private:
  void same(const std::string& place, const std::string& is, const std::string& asked) {
    if (is != asked) {
      constexpr std::size_t kMost = 200;
      found_.push_back({session_.folder + "/" + place, fmt::format("is {}, and the campaign asks for {}",
                                                                   is.substr(0, kMost), asked.substr(0, kMost))});
    }
  }
  static std::string content_of_solution(const task::Solution& solution) {
    return task::identify(solution).content.hex();
  }
  static std::string workloads_of(const std::vector<task::Workload>& workloads) {
    std::string all;
    for (const task::Workload& workload : workloads) {
      all += base::dump_compact(task::encode_carried(workload)) + "\n";
    }
    return fmt::format("{} workloads with SHA-256 {}", workloads.size(), base::sha256(all).hex());
  }

  const Evidence& evidence_;
  const Session& session_;
  std::vector<Difference>& found_;
};

}  // namespace

std::optional<base::Digest> Evidence::manifest_of(std::int64_t sequence) const {
  if (sequence == sweep.sequence) {
    return sweep.manifest;
  }
  if (confirmation && sequence == confirmation->sequence) {
    return confirmation->manifest;
  }
  return std::nullopt;
}

task::CandidateIdentity Evidence::identity_of(int number) const {
  return number == 0 ? task::identify(configuration.baseline) : state.candidate(number).identity;
}

base::Result<std::string> journal_line(const archive::Event& event) {
  ASSAY_TRY_ASSIGN(Json body, base::parse_json(event.body, fmt::format("journal entry {}", event.sequence)));
  if (base::dump_compact(body) != event.body) {
    return base::internal_error(
        "certificate.journal",
        fmt::format("journal entry {} ({}) is not as Assay writes it: keep the archive and report "
                    "this",
                    event.sequence, event.kind));
  }
  return base::dump_compact(
      {{"sequence", event.sequence}, {"kind", event.kind}, {"at", event.at}, {"body", std::move(body)}});
}

base::Result<Evidence> read_evidence(const Files& files) {
  Evidence evidence;
  const std::string configuration_name(kConfigurationFile);
  ASSAY_TRY_ASSIGN(const std::string configuration, content_of(files, configuration_name));
  evidence.configuration_digest = base::sha256(configuration);
  ASSAY_TRY_ASSIGN(const Json json, base::parse_json(configuration, configuration_name));
  ASSAY_TRY_ASSIGN(evidence.configuration, control::decode_configuration(json, configuration_name));
  ASSAY_TRY_ASSIGN(evidence.events, read_journal(files));
  ASSAY_TRY(base::with_context(Walk(evidence).run(), "while reading " + std::string(kJournalFile)));
  ASSAY_TRY(read_session(files, evidence.sweep));
  if (evidence.confirmation) {
    ASSAY_TRY(read_session(files, *evidence.confirmation));
  }
  return evidence;
}

std::vector<Difference> contradictions(const Evidence& evidence, const Files& files) {
  std::vector<Difference> found;
  check_manifest(files, std::string(kSweepFolder), found);
  SessionCheck(evidence, evidence.sweep, found).run();
  if (evidence.confirmation) {
    check_manifest(files, std::string(kConfirmationFolder), found);
    SessionCheck(evidence, *evidence.confirmation, found).run();
  }
  return found;
}

}  // namespace assay::certify
