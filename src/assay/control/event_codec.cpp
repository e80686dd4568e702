#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include <assay/control/agent_run_codec.hpp>
#include <assay/control/event_fields.hpp>
#include <assay/control/events.hpp>
#include <assay/control/injection_codec.hpp>
#include <assay/control/memory_codec.hpp>
#include <assay/control/proposal_codec.hpp>
#include <assay/control/role_codec.hpp>
#include <assay/control/routing_codec.hpp>
#include <assay/control/spending_codec.hpp>
#include <assay/control/supervision_codec.hpp>
#include <assay/task/decoder.hpp>
#include <assay/task/record_codec.hpp>

namespace assay::control {
namespace {

using base::Json;
using task::encode_number;
using task::Fields;
using task::Node;

// In the order of the enumerators.
constexpr std::array<std::string_view, 7> kPurposes = {"baseline",  "gate",       "sweep",      "confirmation",
                                                       "null_gate", "null_sweep", "slower_gate"};
constexpr std::array<std::string_view, 2> kOutrunGrounds = {"bounds", "cap"};

Json encode_regime(const promote::Regime& regime) {
  return {{"name", regime.name},
          {"members", regime.members},
          {"representative", regime.representative},
          {"latency_share", encode_number(regime.latency_share)}};
}

promote::Regime read_regime(const Node& node) {
  promote::Regime regime;
  Fields fields(node);
  regime.name = read_name(fields.required("name"));
  for (const std::int64_t member : fields.required("members").integers({.minimum = 0}, 1)) {
    regime.members.push_back(static_cast<std::size_t>(member));
  }
  regime.representative = static_cast<std::size_t>(fields.required("representative").integer({.minimum = 0}));
  regime.latency_share = fields.required("latency_share").number();
  fields.refuse_others();
  return regime;
}

Json body_of(const CampaignStarted& entry) { return {{"version", entry.version}}; }

void read_body(Fields& fields, CampaignStarted& entry) {
  const Node version = fields.required("version");
  entry.version = read_int(version);
  if (version.present() && entry.version != kJournalVersion) {
    version.problem(fmt::format("is {}; this Assay reads version {}", entry.version, kJournalVersion));
  }
}

Json body_of(const EvaluationIntended& entry) {
  Json body = {{"purpose", std::string(to_string(entry.purpose))},
               {"candidate", entry.candidate},
               {"incumbent", entry.incumbent},
               {"attempt", entry.attempt},
               {"evaluation", entry.evaluation}};
  if (entry.most) {
    body["most"] = encode(*entry.most);
  }
  return body;
}

void read_body(Fields& fields, EvaluationIntended& entry) {
  entry.purpose = static_cast<Purpose>(fields.required("purpose").word(kPurposes));
  entry.candidate = read_int(fields.required("candidate"));
  entry.incumbent = read_int(fields.required("incumbent"));
  entry.attempt = read_int(fields.required("attempt"), 1);
  entry.evaluation = read_name(fields.required("evaluation"));
  if (const Node most = fields.optional("most"); most.present()) {
    entry.most = read_amounts(most);
  }
}

Json body_of(const EvaluationFailed& entry) {
  return {{"evaluation", entry.evaluation}, {"code", entry.code}, {"message", entry.message}};
}

void read_body(Fields& fields, EvaluationFailed& entry) {
  entry.evaluation = read_name(fields.required("evaluation"));
  entry.code = fields.required("code").text();
  entry.message = fields.required("message").text();
}

Json body_of(const BaselineMeasured& entry) {
  Json regimes = Json::array();
  for (const promote::Regime& regime : entry.regimes) {
    regimes.push_back(encode_regime(regime));
  }
  return {{"evaluation", entry.evaluation}, {"baseline_ns", entry.baseline_ns}, {"regimes", std::move(regimes)}};
}

void read_body(Fields& fields, BaselineMeasured& entry) {
  entry.evaluation = read_name(fields.required("evaluation"));
  for (const Node& item : fields.required("baseline_ns").items(1)) {
    entry.baseline_ns.push_back(item.number());
  }
  for (const Node& item : fields.required("regimes").items(1)) {
    entry.regimes.push_back(read_regime(item));
  }
}

Json body_of(const BaselineFailed& entry) {
  return {{"evaluation", entry.evaluation}, {"outcome", outcome_json(entry.outcome)}, {"cause", entry.cause}};
}

void read_body(Fields& fields, BaselineFailed& entry) { read_ended(fields, entry); }

Json body_of(const CandidateGated& entry) {
  Json body = ended_body("candidate", entry.candidate, entry.evaluation, entry.outcome, entry.cause);
  body["log_ratio"] = encode_log_ratio(entry.log_ratio);
  if (entry.duplicate) {
    body["duplicate"] = encode_duplicate(*entry.duplicate);
  }
  return body;
}

void read_body(Fields& fields, CandidateGated& entry) {
  entry.candidate = read_int(fields.required("candidate"), 1);
  read_ended(fields, entry);
  entry.log_ratio = read_log_ratio(fields.required("log_ratio"));
  if (const Node duplicate = fields.optional("duplicate"); duplicate.present()) {  // Journals of before had none.
    entry.duplicate = read_duplicate(duplicate);
  }
}

// CandidateSwept and CampaignConfirmed have the same fields.
template <class Swept>
Json swept_body(const Swept& entry) {
  Json body = ended_body("candidate", entry.candidate, entry.evaluation, entry.outcome, entry.cause);
  body["decision"] = promote::encode(entry.decision);
  return body;
}

template <class Swept>
void read_swept(Fields& fields, Swept& entry) {
  entry.candidate = read_int(fields.required("candidate"), 1);
  read_ended(fields, entry);
  entry.decision = read_decision(fields.required("decision"));
}

Json body_of(const CandidateSwept& entry) { return swept_body(entry); }
void read_body(Fields& fields, CandidateSwept& entry) { read_swept(fields, entry); }
Json body_of(const CampaignConfirmed& entry) { return swept_body(entry); }
void read_body(Fields& fields, CampaignConfirmed& entry) { read_swept(fields, entry); }

// CandidatePromoted and CandidateRefused have the same fields.
template <class Answered>
Json answered_body(const Answered& entry) {
  return {{"candidate", entry.candidate}, {"by", entry.by}, {"why", entry.why}};
}

template <class Answered>
void read_answered(Fields& fields, Answered& entry) {
  entry.candidate = read_int(fields.required("candidate"), 1);
  entry.by = read_name(fields.required("by"));
  entry.why = fields.required("why").text();
}

Json body_of(const CandidatePromoted& entry) { return answered_body(entry); }
void read_body(Fields& fields, CandidatePromoted& entry) { read_answered(fields, entry); }
Json body_of(const CandidateRefused& entry) { return answered_body(entry); }
void read_body(Fields& fields, CandidateRefused& entry) { read_answered(fields, entry); }

Json body_of(const CampaignFinished& entry) { return {{"incumbent", entry.incumbent}}; }
void read_body(Fields& fields, CampaignFinished& entry) { entry.incumbent = read_int(fields.required("incumbent")); }

Json body_of(const CandidateOutrun& entry) {
  return {{"candidate", entry.candidate},
          {"by", entry.by},
          {"ground", std::string(to_string(entry.ground))},
          {"why", entry.why}};
}

void read_body(Fields& fields, CandidateOutrun& entry) {
  entry.candidate = read_int(fields.required("candidate"), 1);
  entry.by = read_int(fields.required("by"), 1);
  entry.ground = static_cast<OutrunGround>(fields.required("ground").word(kOutrunGrounds));
  entry.why = fields.required("why").text();
}

Json body_of(const CandidateDemoted& entry) {
  return {{"candidate", entry.candidate}, {"to", entry.to}, {"why", entry.why}};
}

void read_body(Fields& fields, CandidateDemoted& entry) {
  entry.candidate = read_int(fields.required("candidate"), 1);
  entry.to = read_int(fields.required("to"));
  entry.why = fields.required("why").text();
}

// What is set aside before an evaluation and booked after it, in bodies of whatever kind has them.
template <class Kind>
Json whole_body(const Kind& entry) {
  Json body = body_of(entry);
  if constexpr (requires { entry.spent; }) {
    if (entry.spent) {
      body["spent"] = encode(*entry.spent);
    }
  }
  return body;
}

template <class Kind>
void read_spent(Fields& fields, Kind& entry) {
  if constexpr (requires { entry.spent; }) {
    if (const Node spent = fields.optional("spent"); spent.present()) {
      entry.spent = read_amounts(spent);
    }
  }
}

tl::unexpected<base::Error> unreadable(const archive::Event& event, const std::string& what) {
  return base::internal_error(
      "journal.event",
      fmt::format("journal event {} ({}): {}: was it written by a newer Assay?", event.sequence, event.kind, what));
}

template <class Kind>
base::Result<Entry> decode_as(const archive::Event& event) {
  const auto json = base::parse_json(event.body, "body");
  if (!json) {
    return unreadable(event, json.error().message);
  }
  auto decoded = task::decode_whole(*json, task::Coercion::strict, [](const Node& node) {
    Kind entry;
    Fields fields(node);
    read_body(fields, entry);
    read_spent(fields, entry);
    fields.refuse_others();
    return entry;
  });
  if (!decoded.value) {
    const task::Problem& first = decoded.problems.front();
    return unreadable(event, first.pointer + ": " + first.message);
  }
  return Entry(std::move(*decoded.value));
}

template <std::size_t Index = 0>
base::Result<Entry> decode_kind(const archive::Event& event) {
  if constexpr (Index == std::variant_size_v<Entry>) {
    return unreadable(event, "this kind of event is not known");
  } else {
    using Kind = std::variant_alternative_t<Index, Entry>;
    return event.kind == Kind::kKind ? decode_as<Kind>(event) : decode_kind<Index + 1>(event);
  }
}

}  // namespace

std::string_view to_string(Purpose purpose) { return kPurposes[static_cast<std::size_t>(purpose)]; }

std::string_view to_string(OutrunGround ground) { return kOutrunGrounds[static_cast<std::size_t>(ground)]; }

std::pair<std::string, std::string> encode_entry(const Entry& entry) {
  return std::visit(
      [](const auto& kind) { return std::pair(std::string(kind.kKind), base::dump_compact(whole_body(kind))); }, entry);
}

base::Result<Entry> decode_entry(const archive::Event& event) { return decode_kind(event); }

}  // namespace assay::control
