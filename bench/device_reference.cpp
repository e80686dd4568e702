// How long the references on a GPU take for every workload of a dataset:
//   device_reference DATASET RESULT.jsonl [DEFINITION]
// Each call is timed by itself between two events, hot, after one that is not; a workload's time is the median. Prints a
// line a definition, and writes one JSON object a workload. Takes no part in ./dev test: wall time is no gate.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include <assay/base/json.hpp>
#include <assay/dataset/dataset.hpp>
#include <assay/device/cuda/driver.hpp>
#include <assay/operators/arguments.hpp>
#include <assay/operators/cuda/device_reference.hpp>
#include <assay/operators/operator.hpp>
#include <assay/os/shared_memory.hpp>
#include <assay/verify/call_memory.hpp>

namespace {

using namespace assay;
using device::cuda::DevicePointer;
using operators::cuda::DeviceArgument;

constexpr std::uint64_t kSeed = 1;
constexpr std::size_t kRepetitions = 7;
constexpr std::size_t kTrials = 3000;  // What a failure rate below 0.1 % takes.

/// Device memory that grows and is kept.
class Buffer {
 public:
  base::Result<DevicePointer> reserve(const device::cuda::Context& context, std::size_t bytes) {
    if (bytes > memory_.size() || memory_.address() == 0) {
      memory_ = {};
      ASSAY_TRY_ASSIGN(memory_, device::cuda::Memory::create(context, std::max<std::size_t>(bytes, 1)));
    }
    return memory_.address();
  }

 private:
  device::cuda::Memory memory_;
};

struct Gpu {
  device::cuda::Context context;
  device::cuda::Stream stream;
  device::cuda::Event start;
  device::cuda::Event stop;
  Buffer inputs;
  std::array<Buffer, 8> expected;
  Buffer scratch;
};

base::Result<Gpu> open_gpu() {
  ASSAY_TRY_ASSIGN(auto context, device::cuda::Context::retain(0));
  ASSAY_TRY_ASSIGN(auto stream, device::cuda::Stream::create());
  ASSAY_TRY_ASSIGN(auto start, device::cuda::Event::create());
  ASSAY_TRY_ASSIGN(auto stop, device::cuda::Event::create());
  return Gpu{std::move(context), std::move(stream), std::move(start), std::move(stop), {}, {}, {}};
}

/// A call on the device.
struct Call {
  task::AxisValues axes;
  std::vector<DeviceArgument> inputs;
  std::vector<DevicePointer> expected;
  DevicePointer scratch = 0;
  std::size_t scratch_bytes = 0;
};

/// Fills the inputs on the host and brings them to the device.
base::Result<Call> prepare(Gpu& gpu, const operators::cuda::DeviceReference& reference,
                           operators::InputGenerator& generator, const task::Definition& definition,
                           const task::Workload& workload) {
  Call call;
  ASSAY_TRY_ASSIGN(const verify::Layout layout, verify::make_layout(definition, workload));
  ASSAY_TRY_ASSIGN(call.axes, task::resolve_axes(definition, workload.axes));
  ASSAY_TRY_ASSIGN(const os::SharedMemory memory,
                   os::SharedMemory::create("inputs", layout.inputs_size, os::PeerAccess::read_write));
  ASSAY_TRY_ASSIGN(auto arguments, verify::input_arguments(definition, workload, layout, memory.bytes()));
  generator.fill(workload, 0, arguments);
  ASSAY_TRY_ASSIGN(const DevicePointer base, gpu.inputs.reserve(gpu.context, layout.inputs_size));
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::optional<verify::Place>& place = layout.inputs[i];
    if (!place) {
      call.inputs.emplace_back(std::get<operators::Scalar>(arguments[i]));
      continue;
    }
    const DevicePointer address = base + place->offset;
    if (place->bytes != 0) {
      ASSAY_TRY(device::cuda::copy_to_device(address, std::get<tensor::View>(arguments[i]).bytes, gpu.stream));
    }
    call.inputs.emplace_back(operators::cuda::DeviceTensor{address, place->dtype, place->shape});
  }
  ASSAY_TRY_ASSIGN(const std::vector<std::size_t> elements, reference.expected_elements(call.axes));
  for (std::size_t i = 0; i < elements.size(); ++i) {
    ASSAY_TRY_ASSIGN(const DevicePointer address,
                     gpu.expected.at(i).reserve(gpu.context, elements[i] * sizeof(double)));
    call.expected.push_back(address);
  }
  ASSAY_TRY_ASSIGN(call.scratch_bytes, reference.scratch_bytes(call.axes));
  ASSAY_TRY_ASSIGN(call.scratch, gpu.scratch.reserve(gpu.context, call.scratch_bytes));
  ASSAY_TRY(gpu.stream.synchronize());  // Before the memory that is copied from goes.
  return call;
}

base::Result<double> median_microseconds(const Gpu& gpu, const operators::cuda::DeviceReference& reference,
                                         const Call& call) {
  std::vector<double> times;
  for (std::size_t i = 0; i <= kRepetitions; ++i) {
    ASSAY_TRY(gpu.start.record(gpu.stream));
    ASSAY_TRY(reference.enqueue(call.axes, call.inputs, call.expected, call.scratch, gpu.stream));
    ASSAY_TRY(gpu.stop.record(gpu.stream));
    ASSAY_TRY(gpu.stop.synchronize());
    ASSAY_TRY_ASSIGN(const std::int64_t elapsed, device::cuda::elapsed_ns(gpu.start, gpu.stop));
    if (i > 0) {
      times.push_back(static_cast<double>(elapsed) / 1e3);
    }
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

base::Result<void> measure_definition(Gpu& gpu, const dataset::Dataset& dataset, const std::string& name,
                                      std::ofstream& lines) {
  ASSAY_TRY_ASSIGN(const auto reference, operators::cuda::make_device_reference(name));
  const operators::Operator* op = operators::find_operator(name);
  if (reference == nullptr || op == nullptr) {
    fmt::print("{:<62} no reference on a GPU\n", name);
    return {};
  }
  ASSAY_TRY_ASSIGN(const task::Definition definition, dataset.definition(name));
  ASSAY_TRY_ASSIGN(const std::vector<task::Workload> workloads, dataset.workloads(name));
  const auto generator = op->make_generator(kSeed);
  double total = 0;
  double longest = 0;
  for (const task::Workload& workload : workloads) {
    ASSAY_TRY_ASSIGN(const Call call, prepare(gpu, *reference, *generator, definition, workload));
    ASSAY_TRY_ASSIGN(const double median, median_microseconds(gpu, *reference, call));
    total += median;
    longest = std::max(longest, median);
    base::Json axes = base::Json::object();
    for (const auto& [axis, value] : workload.axes) {
      axes[axis] = value;
    }
    lines << base::Json{{"definition", name},
                        {"workload", workload.uuid},
                        {"axes", axes},
                        {"median_us", median},
                        {"scratch_bytes", call.scratch_bytes}}
                 .dump()
          << '\n';
  }
  fmt::print("{:<62} {:>4} workloads {:>10.1f} us each {:>10.1f} us longest {:>8.2f} s for {} calls\n", name,
             workloads.size(), total / static_cast<double>(workloads.size()), longest,
             total / static_cast<double>(workloads.size()) * static_cast<double>(kTrials) / 1e6, kTrials);
  std::fflush(stdout);
  return {};
}

base::Result<void> run(int argc, char** argv) {
  ASSAY_TRY_ASSIGN(const dataset::Dataset dataset, dataset::Dataset::open(argv[1]));
  ASSAY_TRY_ASSIGN(Gpu gpu, open_gpu());
  ASSAY_TRY_ASSIGN(const device::cuda::DeviceFacts facts, device::cuda::describe_device(0));
  fmt::print("{}, driver {}\n", facts.name, facts.driver_version);
  std::ofstream lines(argv[2]);
  for (const std::string& name : dataset.definition_names()) {
    if (argc <= 3 || name == argv[3]) {
      ASSAY_TRY(measure_definition(gpu, dataset, name, lines));
    }
  }
  lines.flush();
  return lines ? base::Result<void>() : base::environment_error("bench.write", fmt::format("cannot write {}", argv[2]));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: {} DATASET RESULT.jsonl [DEFINITION]\n", argv[0]);
    return 2;
  }
  if (const auto done = run(argc, argv); !done) {
    fmt::print(stderr, "{}\n", done.error().text());
    return base::exit_code(done.error().owner);
  }
  return 0;
}
