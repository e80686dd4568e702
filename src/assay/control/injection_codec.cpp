#include <assay/control/injection_codec.hpp>

#include <array>
#include <nlohmann/json.hpp>

#include <assay/control/event_fields.hpp>
#include <assay/task/record_codec.hpp>

namespace assay::control {
namespace {

// In the order of the enumerators.
constexpr std::array<std::string_view, 2> kInjectionKinds = {"null", "slower"};

// NullPromoted and InjectionWarned have the same fields.
template <class Told>
base::Json told_body(const Told& entry) {
  return {{"injection", entry.injection}, {"why", entry.why}};
}

template <class Told>
void read_told(task::Fields& fields, Told& entry) {
  entry.injection = read_int(fields.required("injection"), 1);
  entry.why = read_name(fields.required("why"));
}

}  // namespace

std::string_view to_string(InjectionKind kind) { return kInjectionKinds[static_cast<std::size_t>(kind)]; }

base::Json body_of(const InjectionMade& entry) {
  return {{"number", entry.number},
          {"kind", std::string(to_string(entry.kind))},
          {"round", entry.round},
          {"of", entry.of},
          {"sweeps", entry.sweeps},
          {"name", entry.name},
          {"identity", task::encode_identity(entry.identity)}};
}

void read_body(task::Fields& fields, InjectionMade& entry) {
  entry.number = read_int(fields.required("number"), 1);
  entry.kind = static_cast<InjectionKind>(fields.required("kind").word(kInjectionKinds));
  entry.round = read_int(fields.required("round"));
  entry.of = read_int(fields.required("of"));
  entry.sweeps = fields.required("sweeps").boolean();
  entry.name = read_name(fields.required("name"));
  entry.identity = task::read_identity(fields.required("identity"));
}

base::Json body_of(const InjectionGated& entry) {
  base::Json body = ended_body("injection", entry.injection, entry.evaluation, entry.outcome, entry.cause);
  body["log_ratio"] = encode_log_ratio(entry.log_ratio);
  return body;
}

void read_body(task::Fields& fields, InjectionGated& entry) {
  entry.injection = read_int(fields.required("injection"), 1);
  read_ended(fields, entry);
  entry.log_ratio = read_log_ratio(fields.required("log_ratio"));
}

base::Json body_of(const InjectionSwept& entry) {
  base::Json body = ended_body("injection", entry.injection, entry.evaluation, entry.outcome, entry.cause);
  body["decision"] = promote::encode(entry.decision);
  return body;
}

void read_body(task::Fields& fields, InjectionSwept& entry) {
  entry.injection = read_int(fields.required("injection"), 1);
  read_ended(fields, entry);
  entry.decision = read_decision(fields.required("decision"));
}

base::Json body_of(const NullPromoted& entry) { return told_body(entry); }
void read_body(task::Fields& fields, NullPromoted& entry) { read_told(fields, entry); }
base::Json body_of(const InjectionWarned& entry) { return told_body(entry); }
void read_body(task::Fields& fields, InjectionWarned& entry) { read_told(fields, entry); }

}  // namespace assay::control
