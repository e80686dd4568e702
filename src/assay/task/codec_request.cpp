#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include <assay/base/device_name.hpp>
#include <assay/base/digest.hpp>
#include <assay/task/codec.hpp>
#include <assay/task/decoder.hpp>
#include <assay/task/plan_codec.hpp>
#include <assay/task/readers.hpp>
#include <assay/task/request.hpp>

namespace assay::task {

namespace {

using base::Json;

constexpr std::array<std::string_view, 2> kTrialsTurns = {"before_timing", "after_gain"};
void read_id(const Node& node, std::string& id) {
  id = node.text();
  const auto good = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-'; };
  if (node.present() && (id.empty() || id.size() > 80 || !std::all_of(id.begin(), id.end(), good))) {
    node.problem("must be 1 to 80 of the characters 0-9, a-z and '-'");
  }
}

void read_device(const Node& node, std::string& device) {
  device = node.text();
  if (node.present() && !base::parse_device_name(device)) {
    node.problem(fmt::format("must be {}", base::kDeviceNames));
  }
}

void read_workloads(const Node& node, EvaluationRequest& request) {
  std::set<std::string> seen;
  for (const Node& item : node.items(1)) {
    const std::size_t before = node.problem_count();
    Workload workload = read_carried_workload(item);
    if (!workload.uuid.empty() && !seen.insert(workload.uuid).second) {
      item.problem_at("/uuid", fmt::format("\"{}\" is that of an earlier workload: keep one of them", workload.uuid));
    }
    if (node.problem_count() == before && !request.definition.name.empty()) {
      for (const Problem& problem : workload_problems(request.definition, workload)) {
        item.problem_at(problem.pointer, problem.message);
      }
    }
    request.workloads.push_back(std::move(workload));
  }
}

// Workloads as in use are held against the definition, as those of the request are; those of difficult inputs leave out what
// is random anyway.
void read_replays(const Node& node, EvaluationRequest& request) {
  for (const Node& item : node.items(1)) {
    const std::size_t before = node.problem_count();
    KeptInput kept = read_kept_input(item);
    if (node.problem_count() == before && !request.definition.name.empty() && !kept.input.stress_kind) {
      for (const Problem& problem : workload_problems(request.definition, kept.input.workload)) {
        item.problem_at("/workload" + problem.pointer, problem.message);
      }
    }
    request.replays.push_back(std::move(kept));
  }
}

void check_solves(const Node& node, const Solution& solution, const Definition& definition) {
  if (!solution.definition.empty() && !definition.name.empty() && solution.definition != definition.name) {
    node.problem_at("/definition", fmt::format("is \"{}\", but the request's definition is \"{}\": give a solution of "
                                               "that definition",
                                               solution.definition, definition.name));
  }
}

KnownCode read_known_code(const Node& node) {
  KnownCode known;
  Fields fields(node);
  known.candidate = static_cast<int>(
      fields.required("candidate").integer({.minimum = 0, .maximum = std::numeric_limits<int>::max()}));
  const Node digest = fields.required("machine_code");
  known.machine_code = digest.text();
  if (digest.present() && !base::Digest::parse(known.machine_code)) {
    digest.problem("must be 64 lowercase hexadecimal digits");
  }
  fields.refuse_others();
  return known;
}

EvaluationRequest read_request(const Node& node) {
  EvaluationRequest request;
  Fields fields(node);
  const Node version = fields.required("version");
  if (version.present() && version.integer() != kRequestVersion) {
    version.problem(fmt::format("is not {}, the only version that this program reads: use the program that wrote it",
                                kRequestVersion));
    return request;  // nothing else means what it seems to
  }
  read_id(fields.required("id"), request.id);
  const Node stage = fields.required("stage");
  request.stage = static_cast<Stage>(stage.word(stage_names()));
  read_device(fields.required("device"), request.device);
  const Node seed = fields.optional("seed");
  if (seed.has_value()) {
    request.seed = seed.unsigned_integer();
  }
  const std::size_t before = node.problem_count();
  request.definition = read_definition(fields.required("definition"));
  if (node.problem_count() != before) {
    request.definition.name.clear();  // faulty: nothing is held against it
  }
  const Node workloads = fields.required("workloads");
  read_workloads(workloads, request);
  if (!has_candidate(request.stage)) {
    if (request.stage == Stage::materialise && request.workloads.size() > 1) {
      workloads.problem("has several: a materialise request takes one");
    }
    if (!request.seed) {
      node.problem_at("/seed", "is missing: what is written must be determined by the request");
    }
    for (const std::string_view field :
         {"candidate", "incumbent", "plan", "official_trials", "trials", "trials_on", "trials_turn", "replays",
          "kept_inputs", "known_code", "refuse_twin", "judge_twin", "disabled_probes"}) {
      if (const Node given = fields.optional(field); given.present()) {
        given.problem(
            fmt::format("is not for a {} request, which runs no candidate: remove it", to_string(request.stage)));
      }
    }
    fields.refuse_others();
    return request;
  }
  const Node candidate = fields.required("candidate");
  request.candidate = read_solution(candidate);
  check_solves(candidate, request.candidate, request.definition);
  const Node incumbent = fields.optional("incumbent");
  if (incumbent.has_value()) {
    request.incumbent = read_solution(incumbent);
    check_solves(incumbent, *request.incumbent, request.definition);
  } else if (request.stage == Stage::gate || request.stage == Stage::sweep) {
    node.problem_at("/incumbent", fmt::format("is missing: stage \"{}\" compares with an incumbent; give one, or use "
                                              "\"measure\"",
                                              to_string(request.stage)));
  }
  request.plan = read_plan(fields.required("plan"));
  if (const Node trials = fields.optional("official_trials"); trials.present()) {
    request.official_trials = read_count(trials, 1, kMostSamples);
  }
  if (const Node trials = fields.optional("trials"); trials.present()) {
    request.trials = read_count(trials, 1, kMostSamples);
  }
  if (const Node trials = fields.optional("trials_on"); trials.present()) {
    for (const Node& count : trials.items()) {
      request.trials_on.push_back(read_count(count, 0, kMostSamples));
    }
    if (request.trials_on.size() != request.workloads.size()) {
      trials.problem(fmt::format("has {} numbers, and there are {} workloads: give one a workload",
                                 request.trials_on.size(), request.workloads.size()));
    }
  }
  if (const Node known = fields.optional("known_code"); known.present()) {
    for (const Node& item : known.items(1)) {
      request.known_code.push_back(read_known_code(item));
    }
  }
  if (const Node refuse = fields.optional("refuse_twin"); refuse.present()) {
    request.refuse_twin = refuse.boolean();
  }
  if (const Node judge = fields.optional("judge_twin"); judge.present()) {
    request.judge_twin = judge.boolean();
  }
  if (const Node turn = fields.optional("trials_turn"); turn.present()) {
    request.trials_turn = static_cast<TrialsTurn>(turn.word(kTrialsTurns));
  }
  if (const Node replays = fields.optional("replays"); replays.present()) {
    read_replays(replays, request);
  }
  if (const Node kept = fields.optional("kept_inputs"); kept.present()) {
    request.kept_inputs = kept.integer({.minimum = 0});
  }
  if (const Node probes = fields.optional("disabled_probes"); probes.has_value()) {
    for (const Node& probe : probes.items(1)) {
      request.disabled_probes.insert(static_cast<Probe>(probe.word(probe_names())));
    }
  }
  fields.refuse_others();
  return request;
}

}  // namespace

std::span<const std::string_view> stage_names() {
  static constexpr std::array<std::string_view, 6> kNames = {"build", "measure",     "gate",
                                                             "sweep", "materialise", "check_definition"};
  return kNames;
}

std::span<const std::string_view> evaluated_stage_names() { return stage_names().first(4); }

bool has_candidate(Stage stage) { return stage < Stage::materialise; }

std::string_view to_string(Stage stage) { return stage_names()[static_cast<std::size_t>(stage)]; }

base::Timing timing_of(const SessionPlan& plan, std::string_view device) {
  return {plan.clock.value_or(base::default_timing_method(device)), plan.cache};
}

base::Timing timing_of(const EvaluationRequest& request) { return timing_of(request.plan, request.device); }

base::Result<void> check_timing(const SessionPlan& plan, std::string_view device) {
  const base::TimingMethod method = timing_of(plan, device).method;
  if (base::can_time(device, method)) {
    return {};
  }
  return base::input_error(
      "request.clock",
      fmt::format("{} cannot be timed by '{}': on CUDA use events, graph or cupti, elsewhere wall, or leave it out",
                  device, base::to_string(method)));
}

std::string_view to_string(TrialsTurn turn) { return kTrialsTurns[static_cast<std::size_t>(turn)]; }

std::span<const std::string_view> trials_turn_names() { return kTrialsTurns; }

bool has_two_clocks(const EvaluationRequest& request) {
  const auto device = base::parse_device_name(request.device);
  return device && device->kind != base::DeviceName::Kind::simulated && request.probes(Probe::reconcile);
}

Json encode(const EvaluationRequest& request) {
  Json json;
  json["version"] = kRequestVersion;
  json["id"] = request.id;
  json["stage"] = to_string(request.stage);
  json["device"] = request.device;
  json["seed"] = request.seed ? Json(*request.seed) : Json();
  json["definition"] = encode(request.definition);
  Json& workloads = json["workloads"] = Json::array();
  for (const Workload& workload : request.workloads) {
    workloads.push_back(encode_carried(workload));
  }
  if (!has_candidate(request.stage)) {
    return json;
  }
  json["candidate"] = encode(request.candidate);
  json["incumbent"] = request.incumbent ? encode(*request.incumbent) : Json();
  json["plan"] = encode(request.plan);
  if (request.official_trials > 0) {
    json["official_trials"] = request.official_trials;
  }
  if (request.trials > 0) {
    json["trials"] = request.trials;
  }
  if (!request.trials_on.empty()) {
    json["trials_on"] = request.trials_on;
  }
  for (const KnownCode& known : request.known_code) {
    json["known_code"].push_back({{"candidate", known.candidate}, {"machine_code", known.machine_code}});
  }
  if (request.refuse_twin) {
    json["refuse_twin"] = true;
  }
  if (request.judge_twin) {
    json["judge_twin"] = true;
  }
  if (request.trials_turn != TrialsTurn::before_timing) {
    json["trials_turn"] = to_string(request.trials_turn);
  }
  for (const KeptInput& kept : request.replays) {
    json["replays"].push_back(encode(kept));
  }
  if (request.kept_inputs > 0) {
    json["kept_inputs"] = request.kept_inputs;
  }
  for (const Probe probe : request.disabled_probes) {
    json["disabled_probes"].push_back(to_string(probe));
  }
  return json;
}

base::Result<EvaluationRequest> decode_request(const Json& json, std::string_view source) {
  return as_result(decode_whole(json, Coercion::strict, read_request), source);
}

}  // namespace assay::task
