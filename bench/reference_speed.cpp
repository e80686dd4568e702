// How long the inputs and the double-precision reference outputs of every workload of a dataset take, one call each:
//   reference_speed DATASET RESULT.json [DEFINITION]
// and beside them what keeping the outputs on disk would take: a key made of the inputs, storing and loading.
// Prints a line a definition and writes JSON. Takes no part in ./dev test: wall time is no gate.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <assay/base/digest.hpp>
#include <assay/base/json.hpp>
#include <assay/base/time.hpp>
#include <assay/dataset/dataset.hpp>
#include <assay/device/cpu.hpp>
#include <assay/operators/arguments.hpp>
#include <assay/operators/operator.hpp>
#include <assay/os/file.hpp>
#include <assay/os/shared_memory.hpp>
#include <assay/verify/call_memory.hpp>
#include <assay/verify/reference_cache.hpp>

namespace {

using namespace assay;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kSeed = 1;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct Measured {
  double fill = 0;
  double reference = 0;
  double key = 0;
  double store = 0;
  double load = 0;
  double output_bytes = 0;
};

/// What verify::ReferenceCache takes for these outputs, alone in its folder.
base::Result<void> measure_cache(const os::SharedMemory& inputs, std::size_t size,
                                 std::span<const operators::ExpectedValues> outputs, Measured& measured) {
  ASSAY_TRY_ASSIGN(const os::TemporaryDirectory folder,
                   os::TemporaryDirectory::create(std::filesystem::temp_directory_path(), "reference-speed-"));
  const verify::ReferenceCache cache(folder.path(), std::uint64_t{4} << 30U);
  Clock::time_point start = Clock::now();
  base::Sha256 hash;
  for (const std::span<const std::byte> part : inputs.present(size)) {
    hash.update(part);
  }
  const base::Digest key = hash.finish();
  measured.key = seconds_since(start);
  start = Clock::now();
  ASSAY_TRY(cache.store(key, outputs));
  measured.store = seconds_since(start);
  start = Clock::now();
  const auto loaded = cache.load(key);
  measured.load = seconds_since(start);
  for (const operators::ExpectedValues& values : outputs) {
    measured.output_bytes += static_cast<double>(values.size() * sizeof(double));
  }
  return loaded && loaded->front() == outputs.front() ? base::Result<void>()
                                                      : base::internal_error("bench.cache", "what was stored is lost");
}

base::Result<Measured> measure(const operators::Operator& op, operators::InputGenerator& generator,
                               const task::Definition& definition, const task::Workload& workload,
                               std::vector<operators::ExpectedValues>& expected) {
  ASSAY_TRY_ASSIGN(const verify::Layout layout, verify::make_layout(definition, workload));
  ASSAY_TRY_ASSIGN(const task::AxisValues axes, task::resolve_axes(definition, workload.axes));
  ASSAY_TRY_ASSIGN(const os::SharedMemory memory,
                   os::SharedMemory::create("inputs", layout.inputs_size, os::PeerAccess::read_write));
  ASSAY_TRY_ASSIGN(auto arguments, verify::input_arguments(definition, workload, layout, memory.bytes()));
  Measured measured;
  Clock::time_point start = Clock::now();
  generator.fill(workload, 0, arguments);
  measured.fill = seconds_since(start);
  const std::vector<operators::ConstArgument> inputs = operators::read_only(arguments);
  start = Clock::now();
  ASSAY_TRY(op.reference(axes, inputs, expected));
  measured.reference = seconds_since(start);
  ASSAY_TRY(measure_cache(memory, layout.inputs_size, expected, measured));
  return measured;
}

base::Result<base::Json> measure_definition(const dataset::Dataset& dataset, const std::string& name) {
  ASSAY_TRY_ASSIGN(const task::Definition definition, dataset.definition(name));
  ASSAY_TRY_ASSIGN(const std::vector<task::Workload> workloads, dataset.workloads(name));
  const operators::Operator* op = operators::find_operator(name);
  if (op == nullptr) {
    return base::input_error("bench.operator", "no operator is known for " + name);
  }
  const auto generator = op->make_generator(kSeed);
  std::vector<operators::ExpectedValues> expected;
  base::Json rows = base::Json::array();
  double fill = 0;
  double reference = 0;
  double longest = 0;
  Measured all;
  for (const task::Workload& workload : workloads) {
    ASSAY_TRY_ASSIGN(const Measured measured, measure(*op, *generator, definition, workload, expected));
    fill += measured.fill;
    reference += measured.reference;
    longest = std::max(longest, measured.reference);
    all.key += measured.key;
    all.store += measured.store;
    all.load += measured.load;
    base::Json axes = base::Json::object();
    for (const auto& [axis, value] : workload.axes) {
      axes[axis] = value;
    }
    rows.push_back({{"axes", axes},
                    {"fill_seconds", measured.fill},
                    {"reference_seconds", measured.reference},
                    {"output_bytes", measured.output_bytes},
                    {"cache_key_seconds", measured.key},
                    {"cache_store_seconds", measured.store},
                    {"cache_load_seconds", measured.load}});
  }
  fmt::print(
      "{}: {} workloads, inputs {:.1f} s, references {:.1f} s (longest {:.2f} s); cache: keys {:.1f} s, "
      "storing {:.1f} s, loading {:.1f} s\n",
      name, workloads.size(), fill, reference, longest, all.key, all.store, all.load);
  std::fflush(stdout);
  return base::Json{{"definition", name},
                    {"workloads", workloads.size()},
                    {"fill_seconds", fill},
                    {"reference_seconds", reference},
                    {"longest_reference_seconds", longest},
                    {"cache_key_seconds", all.key},
                    {"cache_store_seconds", all.store},
                    {"cache_load_seconds", all.load},
                    {"rows", std::move(rows)}};
}

base::Result<void> run(int argc, char** argv) {
  ASSAY_TRY_ASSIGN(const dataset::Dataset dataset, dataset::Dataset::open(argv[1]));
  base::Json json;
  json["date"] = base::utc_now();
  json["processor"] = device::describe_processor().model;
  json["definitions"] = base::Json::array();
  double total = 0;
  for (const std::string& name : dataset.definition_names()) {
    if (argc > 3 && name != argv[3]) {
      continue;
    }
    ASSAY_TRY_ASSIGN(base::Json measured, measure_definition(dataset, name));
    total += measured["fill_seconds"].get<double>() + measured["reference_seconds"].get<double>();
    json["definitions"].push_back(std::move(measured));
  }
  json["total_seconds"] = total;
  fmt::print("in all {:.1f} s\n", total);
  std::ofstream(argv[2]) << json.dump(1) << '\n';
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: {} DATASET RESULT.json [DEFINITION]\n", argv[0]);
    return 2;
  }
  if (const auto done = run(argc, argv); !done) {
    fmt::print(stderr, "{}\n", done.error().message);
    return 3;
  }
  return 0;
}
