// What the judge does for every call (random inputs) and the archive for every bundle (digests, JSON).
#include <benchmark/benchmark.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include <assay/base/digest.hpp>
#include <assay/base/json.hpp>
#include <assay/base/random.hpp>
#include <assay/base/text.hpp>

namespace assay::base {
namespace {

void sha256_of(benchmark::State& state) {
  const std::string text(static_cast<std::size_t>(state.range(0)), 'x');
  for (auto _ : state) {
    benchmark::DoNotOptimize(sha256(text));
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(sha256_of)->Arg(1 << 10)->Arg(1 << 20);

void philox_words(benchmark::State& state) {
  Philox random(1, 2);
  for (auto _ : state) {
    benchmark::DoNotOptimize(random.next_u64());
  }
  state.SetBytesProcessed(state.iterations() * 8);
}
BENCHMARK(philox_words);

void philox_normals(benchmark::State& state) {
  Philox random(1, 2);
  for (auto _ : state) {
    benchmark::DoNotOptimize(random.next_normal());
  }
}
BENCHMARK(philox_normals);

std::string samples_document(std::int64_t count) {
  Json samples = Json::array();
  for (std::int64_t i = 0; i < count; ++i) {
    samples.push_back(
        {{"pair", i / 50}, {"workload", i % 54}, {"side", "candidate"}, {"ns", 1234.5 + static_cast<double>(i)}});
  }
  return dump_compact(samples);
}

void json_parse(benchmark::State& state) {
  const std::string text = samples_document(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(parse_json(text, "bench"));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(json_parse)->Arg(1000)->Unit(benchmark::kMillisecond);

void printable_log(benchmark::State& state) {
  const std::string log(1 << 16, 'e');
  for (auto _ : state) {
    benchmark::DoNotOptimize(printable(log));
  }
  state.SetBytesProcessed(state.iterations() * (1 << 16));
}
BENCHMARK(printable_log);

}  // namespace
}  // namespace assay::base
