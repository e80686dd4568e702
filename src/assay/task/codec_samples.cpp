#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include <assay/task/decoder.hpp>
#include <assay/task/evaluation.hpp>
#include <assay/task/record_codec.hpp>

namespace assay::task {

namespace {

using base::Json;

constexpr IntegerRange kIndex = {.minimum = 0, .maximum = std::numeric_limits<std::int32_t>::max()};
constexpr IntegerRange kDuration = {.minimum = 0};

// Both text columns are one character a sample: short, and a glance shows the interleaving.
std::string read_letters(const Node& node, std::string_view letters) {
  const std::string text = node.text();
  const std::size_t wrong = text.find_first_not_of(letters);
  if (wrong != std::string::npos) {
    node.problem(fmt::format("has another character than those of '{}' at position {}", letters, wrong));
  }
  return text;
}

std::vector<Sample> read_samples(const Node& node) {
  Fields fields(node);
  const Node version = fields.required("version");
  if (version.present() && version.integer() != kEvaluationVersion) {
    version.problem(fmt::format("is not {}, the only version that this program reads", kEvaluationVersion));
    return {};
  }
  const auto pair = fields.required("pair").integers(kIndex);
  const auto order = fields.required("order").integers(kIndex);
  const auto side = read_letters(fields.required("side"), "ciab");
  const auto workload = fields.required("workload").integers(kIndex);
  const auto repetition = fields.required("repetition").integers(kIndex);
  const auto elapsed = fields.required("elapsed_ns").integers(kDuration);
  const auto round_trip = fields.required("round_trip_ns").integers(kDuration);
  const auto checked = read_letters(fields.required("checked"), "01");
  std::optional<base::Timing> timing;
  if (const Node clock = fields.optional("clock"); clock.present()) {  // Samples of before had none.
    timing = read_clock(clock);
  }
  fields.refuse_others();
  const std::size_t count = pair.size();
  for (const std::size_t size : {order.size(), side.size(), workload.size(), repetition.size(), elapsed.size(),
                                 round_trip.size(), checked.size()}) {
    if (size != count) {
      node.problem(fmt::format("has columns of different lengths ({} and {}): the file is damaged", count, size));
      return {};
    }
  }
  if (node.problem_count() != 0) {
    return {};
  }
  std::vector<Sample> samples(count);
  for (std::size_t i = 0; i < count; ++i) {
    samples[i] = {.pair = static_cast<std::int32_t>(pair[i]),
                  .order = static_cast<std::int32_t>(order[i]),
                  .side = side[i] == 'c' || side[i] == 'a' ? Side::candidate : Side::incumbent,
                  .workload = static_cast<std::int32_t>(workload[i]),
                  .repetition = static_cast<std::int32_t>(repetition[i]),
                  .elapsed_ns = elapsed[i],
                  .round_trip_ns = round_trip[i],
                  .checked = checked[i] == '1',
                  .timing = timing,
                  .self = side[i] == 'a' || side[i] == 'b'};
  }
  return samples;
}

template <class Field>
Json column(const std::vector<Sample>& samples, Field field) {
  Json array = Json::array();
  for (const Sample& sample : samples) {
    array.push_back(sample.*field);
  }
  return array;
}

}  // namespace

Json encode(const std::vector<Sample>& samples) {
  std::string side;
  std::string checked;
  for (const Sample& sample : samples) {
    side += (sample.self ? "ab" : "ci")[sample.side == Side::candidate ? 0 : 1];
    checked += sample.checked ? '1' : '0';
  }
  Json json;
  json["version"] = kEvaluationVersion;
  json["pair"] = column(samples, &Sample::pair);
  json["order"] = column(samples, &Sample::order);
  json["side"] = side;
  json["workload"] = column(samples, &Sample::workload);
  json["repetition"] = column(samples, &Sample::repetition);
  json["elapsed_ns"] = column(samples, &Sample::elapsed_ns);
  json["round_trip_ns"] = column(samples, &Sample::round_trip_ns);
  json["checked"] = checked;
  if (!samples.empty() && samples.front().timing) {
    ASSAY_CHECK(std::all_of(samples.begin(), samples.end(),
                            [&](const Sample& sample) { return sample.timing == samples.front().timing; }));
    json["clock"] = encode_clock(*samples.front().timing);
  }
  return json;
}

base::Result<std::vector<Sample>> decode_samples(const Json& json, std::string_view source) {
  return as_result(decode_whole(json, Coercion::strict, read_samples), source);
}

}  // namespace assay::task
