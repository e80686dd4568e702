#include <limits>
#include <nlohmann/json.hpp>

#include <assay/task/decoder.hpp>
#include <assay/task/record_codec.hpp>

namespace assay::task {

namespace {

using base::Json;

std::int32_t read_count(const Node& node) {
  return static_cast<std::int32_t>(node.integer({.minimum = 0, .maximum = std::numeric_limits<std::int32_t>::max()}));
}

double read_quantity(const Node& node) {
  const double value = node.number();
  if (!(value >= 0)) {
    node.problem("must be at least 0");
  }
  return value;
}

DeviceReading read_reading(const Node& node) {
  DeviceReading reading;
  Fields fields(node);
  reading.sm_mhz = read_count(fields.required("sm_mhz"));
  reading.memory_mhz = read_count(fields.required("memory_mhz"));
  reading.temperature_celsius = read_count(fields.required("temperature_celsius"));
  reading.power_watts = read_quantity(fields.required("power_watts"));
  reading.throttled = fields.required("throttled").text();
  reading.processes = read_count(fields.required("processes"));
  fields.refuse_others();
  return reading;
}

Json encode_reading(const DeviceReading& reading) {
  Json json;
  json["sm_mhz"] = reading.sm_mhz;
  json["memory_mhz"] = reading.memory_mhz;
  json["temperature_celsius"] = reading.temperature_celsius;
  json["power_watts"] = encode_number(reading.power_watts);
  json["throttled"] = reading.throttled;
  json["processes"] = reading.processes;
  return json;
}

}  // namespace

base::Timing read_clock(const Node& node) {
  base::Timing timing;
  Fields fields(node);
  timing.method = static_cast<base::TimingMethod>(fields.required("method").word(base::kTimingMethods));
  timing.cache = static_cast<base::CacheState>(fields.required("cache").word(base::kCacheStates));
  fields.refuse_others();
  return timing;
}

Json encode_clock(const base::Timing& timing) {
  return {{"method", base::to_string(timing.method)}, {"cache", base::to_string(timing.cache)}};
}

PairReadings read_readings(const Node& node) {
  PairReadings readings;
  Fields fields(node);
  readings.pair = read_count(fields.required("pair"));
  readings.ours = read_count(fields.required("ours"));
  readings.before = read_reading(fields.required("before"));
  readings.after = read_reading(fields.required("after"));
  fields.refuse_others();
  return readings;
}

Json encode_readings(const PairReadings& readings) {
  return {
      {"pair", readings.pair}, {"before", encode_reading(readings.before)}, {"after", encode_reading(readings.after)}};
}

Canary read_canary(const Node& node) {
  Canary canary;
  Fields fields(node);
  canary.before_ns = read_quantity(fields.required("before_ns"));
  canary.after_ns = read_quantity(fields.required("after_ns"));
  fields.refuse_others();
  return canary;
}

Json encode_canary(const Canary& canary) {
  return {{"before_ns", encode_number(canary.before_ns)}, {"after_ns", encode_number(canary.after_ns)}};
}

base::Timing timing_of(const Evaluation& evaluation) {
  return evaluation.timing.value_or(
      base::Timing{base::default_timing_method(evaluation.device), base::CacheState::cold});
}

}  // namespace assay::task
