#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include <assay/task/decoder.hpp>
#include <assay/task/plan_codec.hpp>
#include <assay/task/request.hpp>

namespace assay::task {

namespace {

using base::Json;

constexpr std::int64_t kMostPairs = 10'000;
constexpr std::int64_t kLongestLimitMs = 24 * 60 * 60 * 1000;
constexpr std::array<std::string_view, 2> kPairedTests = {"student_t", "evidence"};

// A number within bounds that may be open at either end.
enum class Bound : std::uint8_t { included, excluded };

double read_fraction(const Node& node, Bound lower, Bound upper) {
  const double value = node.number();
  const bool low = lower == Bound::included ? value >= 0 : value > 0;
  const bool high = upper == Bound::included ? value <= 1 : value < 1;
  if (node.present() && !(low && high)) {
    node.problem(fmt::format("is {}: give a number {} 0 and {} 1", value,
                             lower == Bound::included ? "of at least" : "above",
                             upper == Bound::included ? "at most" : "below"));
  }
  return value;
}

std::chrono::milliseconds read_limit(const Node& node) {
  return std::chrono::milliseconds(node.integer({.minimum = 1, .maximum = kLongestLimitMs}));
}

}  // namespace

int read_count(const Node& node, std::int64_t minimum, std::int64_t maximum) {
  const std::int64_t value = node.integer({.minimum = minimum, .maximum = maximum});
  return static_cast<int>(std::clamp(value, minimum, maximum));
}

SessionPlan read_plan(const Node& node) {
  SessionPlan plan;
  Fields fields(node);
  plan.minimum_pairs = read_count(fields.required("minimum_pairs"), 2, kMostPairs);
  const Node maximum_pairs = fields.required("maximum_pairs");
  const std::size_t before = node.problem_count();
  plan.maximum_pairs = read_count(maximum_pairs, 2, kMostPairs);
  if (maximum_pairs.present() && node.problem_count() == before && plan.maximum_pairs < plan.minimum_pairs) {
    maximum_pairs.problem(
        fmt::format("is {}: give at least minimum_pairs, which is {}", plan.maximum_pairs, plan.minimum_pairs));
  }
  plan.samples_per_pair = read_count(fields.required("samples_per_pair"), 1, kMostSamples);
  plan.alpha = read_fraction(fields.required("alpha"), Bound::excluded, Bound::excluded);
  if (const Node test = fields.optional("test"); test.present()) {  // Requests of before knew one.
    plan.test = static_cast<PairedTest>(test.word(kPairedTests));
  }
  plan.minimum_effect = read_fraction(fields.required("minimum_effect"), Bound::included, Bound::excluded);
  if (const Node futility = fields.optional("futility"); futility.present()) {  // Requests of before had none.
    plan.futility = read_fraction(futility, Bound::included, Bound::excluded);
  }
  plan.maximum_regression = read_fraction(fields.required("maximum_regression"), Bound::included, Bound::included);
  plan.check_fraction = read_fraction(fields.required("check_fraction"), Bound::included, Bound::included);
  if (const Node self = fields.optional("self_comparison"); self.present()) {  // Likewise.
    plan.self_comparison = self.boolean();
  }
  plan.stress_trials = 0;
  if (const Node stress = fields.optional("stress_trials"); stress.present()) {  // Requests of before had none.
    plan.stress_trials = read_count(stress, 0, kMostSamples);
  }
  plan.call_limit = read_limit(fields.required("call_limit_ms"));
  plan.load_limit = read_limit(fields.required("load_limit_ms"));
  plan.build_limit = read_limit(fields.required("build_limit_ms"));
  const Node memory = fields.required("worker_memory_bytes");
  plan.worker_memory_bytes = memory.unsigned_integer();
  if (memory.present() && plan.worker_memory_bytes == 0) {
    memory.problem("is 0: give the bytes that a worker may use");
  }
  if (const Node sanitizers = fields.optional("sanitizers"); sanitizers.present()) {
    plan.sanitizers = read_sanitizers(sanitizers);
  }
  if (const Node sandbox = fields.optional("minimum_sandbox"); sandbox.present()) {
    plan.minimum_sandbox = static_cast<base::SandboxLevel>(sandbox.word(base::kSandboxLevels));
  }
  if (const Node clock = fields.optional("clock"); clock.present()) {  // Requests of before had neither.
    plan.clock = static_cast<base::TimingMethod>(clock.word(base::kTimingMethods));
  }
  if (const Node cache = fields.optional("cache"); cache.present()) {
    plan.cache = static_cast<base::CacheState>(cache.word(base::kCacheStates));
  }
  fields.refuse_others();
  return plan;
}

std::string_view to_string(PairedTest test) { return kPairedTests[static_cast<std::size_t>(test)]; }

std::span<const std::string_view> paired_test_names() { return kPairedTests; }

Json encode(const SessionPlan& plan) {
  Json json;
  json["minimum_pairs"] = plan.minimum_pairs;
  json["maximum_pairs"] = plan.maximum_pairs;
  json["samples_per_pair"] = plan.samples_per_pair;
  json["alpha"] = encode_number(plan.alpha);
  if (plan.test != PairedTest::student_t) {
    json["test"] = to_string(plan.test);
  }
  json["minimum_effect"] = encode_number(plan.minimum_effect);
  json["futility"] = encode_number(plan.futility);
  if (plan.self_comparison) {  // Said only where it is: a plan of before means the same without.
    json["self_comparison"] = true;
  }
  json["maximum_regression"] = encode_number(plan.maximum_regression);
  json["check_fraction"] = encode_number(plan.check_fraction);
  json["stress_trials"] = plan.stress_trials;
  json["call_limit_ms"] = plan.call_limit.count();
  json["load_limit_ms"] = plan.load_limit.count();
  json["build_limit_ms"] = plan.build_limit.count();
  json["worker_memory_bytes"] = plan.worker_memory_bytes;
  for (const Sanitizer sanitizer : plan.sanitizers) {
    json["sanitizers"].push_back(to_string(sanitizer));
  }
  if (plan.minimum_sandbox != base::SandboxLevel::none) {
    json["minimum_sandbox"] = base::to_string(plan.minimum_sandbox);
  }
  if (plan.clock) {
    json["clock"] = base::to_string(*plan.clock);
  }
  if (plan.cache != base::CacheState::cold) {
    json["cache"] = base::to_string(plan.cache);
  }
  return json;
}

base::Result<SessionPlan> decode_plan(const Json& json, std::string_view source) {
  return as_result(decode_whole(json, Coercion::strict, read_plan), source);
}

}  // namespace assay::task
