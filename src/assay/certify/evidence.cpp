#include <assay/certify/evidence.hpp>

#include <fmt/core.h>

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include <assay/base/json.hpp>
#include <assay/base/text.hpp>
#include <assay/control/requests.hpp>
#include <assay/task/bundle.hpp>

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

// What was intended, and the request that follows from the policy and the journal at that moment.
struct Intent {
  control::EvaluationIntended entry;
  task::EvaluationRequest asked;
};

struct Promotion {
  control::CandidatePromoted entry;
  std::int64_t sequence = 0;
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
      intents_[entry.evaluation] = {entry,
                                    control::make_request(evidence_.configuration, evidence_.state, target, {}, {})};
    }
  }
  void note(const archive::Event& event, const control::CandidateSwept& entry) {
    const Intent& intent = intents_[entry.evaluation];
    evidence_.tested.push_back(
        {event.sequence, entry.candidate, entry.evaluation, intent.asked.plan.alpha, entry.decision});
    swept_[entry.candidate] = begin_session(kSweepFolder, event, intent, entry.decision);
  }
  void note(const archive::Event& event, const control::CandidatePromoted& entry) {
    promotions_[entry.candidate] = {entry, event.sequence};
    last_ = {entry.candidate, event.sequence};
    evidence_.confirmation.reset();
  }
  void note(const archive::Event& event, const control::CampaignConfirmed& entry) {
    last_ = {entry.candidate, event.sequence};
    evidence_.confirmation = begin_session(kConfirmationFolder, event, intents_[entry.evaluation], entry.decision);
  }

  static Session begin_session(std::string_view folder, const archive::Event& event, const Intent& intent,
                               const promote::Decision& decision) {
    Session session;
    session.folder = folder;
    session.sequence = event.sequence;
    session.intended = intent.entry;
    session.asked = intent.asked;
    session.journalled = decision;
    return session;
  }

  // The journal is cut where what is certified was decided last. The campaign follows its confirmations, so this does too:
  // an earlier promotion is confirmed after the later ones were demoted.
  base::Result<void> settle() {
    const auto promotion = promotions_.find(last_.candidate);
    if (promotion == promotions_.end()) {
      return unreadable(kJournalFile, "nothing is promoted in it");
    }
    if (last_.sequence != evidence_.events.back().sequence) {
      return unreadable(kJournalFile, fmt::format("goes on to entry {} after entry {}, the last that is certified",
                                                  evidence_.events.back().sequence, last_.sequence));
    }
    evidence_.promotion = promotion->second.entry;
    evidence_.promotion_sequence = promotion->second.sequence;
    evidence_.sweep = swept_[last_.candidate];
    for (const archive::Event& event : evidence_.events) {
      if (event.sequence >= evidence_.sweep.sequence && archive::is_decision(event.kind)) {
        evidence_.decisions.push_back(event.sequence);
      }
    }
    return {};
  }

  // The last promotion or confirmation.
  struct Last {
    int candidate = 0;
    std::int64_t sequence = 0;
  };

  Evidence& evidence_;
  std::map<std::string, Intent> intents_;
  std::map<int, Session> swept_;
  std::map<int, Promotion> promotions_;
  Last last_;
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

}  // namespace assay::certify
