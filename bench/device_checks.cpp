// What the judge's own work on a GPU takes: the trusted kernels over sizes, then for every workload of the definitions
// that have a reference and a check on the device, those two (and the upload and the CPU's reference beside them):
//   device_checks DATASET [DEFINITION...]
// Prints a JSON line a measurement. Takes no part in ./dev test: wall time is no gate.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <assay/base/json.hpp>
#include <assay/base/time.hpp>
#include <assay/dataset/dataset.hpp>
#include <assay/device/cuda/trusted_kernels.hpp>
#include <assay/operators/arguments.hpp>
#include <assay/operators/cuda/device_check.hpp>
#include <assay/operators/operator.hpp>
#include <assay/os/shared_memory.hpp>
#include <assay/tensor/rounding.hpp>
#include <assay/verify/call_memory.hpp>

namespace {

using namespace assay;
using namespace assay::device::cuda;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kSeed = 1;
constexpr int kRepetitions = 21;

void print(const base::Json& line) {
  fmt::print("{}\n", line.dump());
  std::fflush(stdout);
}

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

/// The median time of a piece of work and of waiting for it, as the judge's thread sees it.
base::Result<double> time_ms(const Stream& stream, const std::function<base::Result<void>()>& work) {
  std::vector<double> times;
  ASSAY_TRY(work());
  ASSAY_TRY(stream.synchronize());
  for (int i = 0; i < kRepetitions; ++i) {
    const auto start = Clock::now();
    ASSAY_TRY(work());
    ASSAY_TRY(stream.synchronize());
    times.push_back(milliseconds_since(start));
  }
  return median(times);
}

/// What all measurements use.
struct Gpu {
  const Context& context;
  Stream stream;
  TrustedKernels kernels;
};

base::Result<void> measure_kernels(Gpu& gpu) {
  constexpr std::size_t kLargest = std::size_t{1} << 30U;
  ASSAY_TRY_ASSIGN(const Memory memory, Memory::create(gpu.context, kLargest));
  const Stream& stream = gpu.stream;
  TrustedKernels& kernels = gpu.kernels;
  const auto report = [&](const char* kernel, std::size_t bytes,
                          const std::function<base::Result<void>()>& work) -> base::Result<void> {
    ASSAY_TRY_ASSIGN(const double took, time_ms(stream, work));
    print({{"kernel", kernel}, {"bytes", bytes}, {"ms", took}, {"GB_per_s", static_cast<double>(bytes) / took / 1e6}});
    return {};
  };
  for (const std::size_t bytes :
       {std::size_t{1} << 14U, std::size_t{1} << 20U, std::size_t{1} << 24U, std::size_t{1} << 28U, kLargest}) {
    const FilledRange poison{{memory.address(), bytes}, FillPattern::repeated(0x7fc07fd3U)};
    ASSAY_TRY(report("fill", bytes, [&] { return kernels.fill(poison, stream); }));
    ASSAY_TRY(report("check_fill", bytes, [&]() -> base::Result<void> {
      ASSAY_TRY_ASSIGN(const auto changed, kernels.check_fill({&poison, 1}, stream));
      return changed[0] ? base::Result<void>(base::internal_error("bench.fill", "the fill did not hold"))
                        : base::Result<void>();
    }));
    const auto digest = [&]() -> base::Result<void> {
      ASSAY_TRY(kernels.digest({&poison.range, 1}, stream));
      return {};
    };
    ASSAY_TRY(report("digest", bytes, digest));
    // Both sides are one number: 8 bytes of what is expected beside an element.
    ASSAY_TRY(kernels.fill({{memory.address(), bytes}, FillPattern::repeated(0)}, stream));
    for (const ElementFormat format : {ElementFormat::float32, ElementFormat::bfloat16}) {
      const std::size_t elements = bytes / (8 + element_bytes(format)) / 512 * 512;
      const DeviceRule rule{.relative = 1e-2, .absolute_of_rms = 1e-2, .norm = 1e-2, .block_elements = 512};
      const CompareRequest request{memory.address() + 8 * elements, format, memory.address(), elements, rule};
      ASSAY_TRY(report(format == ElementFormat::float32 ? "compare_float32" : "compare_bfloat16",
                       elements * (8 + element_bytes(format)), [&]() -> base::Result<void> {
                         ASSAY_TRY_ASSIGN(const Comparison found, kernels.compare(request, stream));
                         return found.surely_right
                                    ? base::Result<void>()
                                    : base::Result<void>(base::internal_error("bench.compare", "zeros differ"));
                       }));
    }
  }
  const ByteRange buffer{memory.address(), kernels.flush_bytes()};
  return report("flush_l2", buffer.bytes, [&] { return kernels.flush_l2(buffer, stream); });
}

/// One definition's reference and check, and device memory that grows with its workloads.
class Checked {
 public:
  Checked(Gpu& gpu, const operators::Operator& op, std::unique_ptr<operators::cuda::DeviceReference> reference,
          std::unique_ptr<operators::cuda::DeviceCheck> check)
      : gpu_(&gpu), op_(&op), reference_(std::move(reference)), check_(std::move(check)) {}

  base::Result<base::Json> measure(operators::InputGenerator& generator, const task::Definition& definition,
                                   const task::Workload& workload) {
    ASSAY_TRY_ASSIGN(const verify::Layout layout, verify::make_layout(definition, workload));
    ASSAY_TRY_ASSIGN(const task::AxisValues axes, task::resolve_axes(definition, workload.axes));
    ASSAY_TRY_ASSIGN(const os::SharedMemory host,
                     os::SharedMemory::create("inputs", layout.inputs_size, os::PeerAccess::read_write));
    ASSAY_TRY_ASSIGN(auto arguments, verify::input_arguments(definition, workload, layout, host.bytes()));
    base::Json row = {{"uuid", workload.uuid}, {"axes", base::Json::object()}};
    for (const auto& [axis, value] : workload.axes) {
      row["axes"][axis] = value;
    }
    auto start = Clock::now();
    generator.fill(workload, 0, arguments);
    row["generate_ms"] = milliseconds_since(start);
    start = Clock::now();
    ASSAY_TRY(op_->reference(axes, operators::read_only(arguments), expected_values_));
    row["cpu_reference_ms"] = milliseconds_since(start);

    ASSAY_TRY(grow(inputs_, layout.inputs_size));
    start = Clock::now();
    ASSAY_TRY(copy_to_device(inputs_.address(), host.bytes(), gpu_->stream));
    ASSAY_TRY(gpu_->stream.synchronize());
    row["upload_ms"] = milliseconds_since(start);
    std::vector<operators::cuda::DeviceArgument> inputs;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (const auto& place = layout.inputs[i]) {
        inputs.emplace_back(
            operators::cuda::DeviceTensor{inputs_.address() + place->offset, place->dtype, place->shape});
      } else {
        inputs.emplace_back(std::get<operators::Scalar>(arguments[i]));
      }
    }
    ASSAY_TRY_ASSIGN(const auto outputs, upload_right_outputs(layout));
    ASSAY_TRY_ASSIGN(const auto expected, place_expected(axes));
    ASSAY_TRY_ASSIGN(const double reference_ms, time_ms(gpu_->stream, [&] {
                       return reference_->enqueue(axes, inputs, expected, scratch_.address(), gpu_->stream);
                     }));
    bool sure = false;
    std::string doubt;
    ASSAY_TRY_ASSIGN(const double check_ms, time_ms(gpu_->stream, [&]() -> base::Result<void> {
                       ASSAY_TRY_ASSIGN(const auto verdict,
                                        check_->check({axes, inputs, outputs, expected, check_scratch_.address()},
                                                      gpu_->kernels, gpu_->stream));
                       sure = verdict.surely_right;
                       doubt = verdict.doubt;
                       return {};
                     }));
    row["reference_ms"] = reference_ms;
    row["check_ms"] = check_ms;
    row["surely_right"] = sure;
    if (!doubt.empty()) {
      row["doubt"] = doubt;
    }
    return row;
  }

 private:
  base::Result<void> grow(Memory& memory, std::size_t bytes) const {
    if (memory.size() < std::max<std::size_t>(bytes, 1)) {
      ASSAY_TRY_ASSIGN(memory, Memory::create(gpu_->context, std::max<std::size_t>(bytes, 1)));
    }
    return {};
  }

  /// Writes what the CPU's reference chose or computed, rounded to the outputs' types.
  base::Result<std::vector<operators::cuda::DeviceTensor>> upload_right_outputs(const verify::Layout& layout) {
    ASSAY_TRY(grow(outputs_, layout.outputs_size));
    std::vector<std::byte> host(layout.outputs_size);
    std::vector<operators::cuda::DeviceTensor> outputs;
    for (std::size_t i = 0; i < layout.outputs.size(); ++i) {
      const verify::Place& place = layout.outputs[i];
      tensor::write_rounded({place.name, place.dtype, place.shape, std::span(host).subspan(place.offset, place.bytes)},
                            expected_values_[i]);
      outputs.push_back({outputs_.address() + place.offset, place.dtype, place.shape});
    }
    ASSAY_TRY(copy_to_device(outputs_.address(), host, gpu_->stream));
    ASSAY_TRY(gpu_->stream.synchronize());
    return outputs;
  }

  base::Result<std::vector<DevicePointer>> place_expected(const task::AxisValues& axes) {
    ASSAY_TRY_ASSIGN(const auto elements, reference_->expected_elements(axes));
    std::vector<std::size_t> offsets;
    std::size_t end = 0;
    for (const std::size_t count : elements) {
      offsets.push_back(end);
      end += (count * sizeof(double) + 255) / 256 * 256;
    }
    ASSAY_TRY(grow(expected_, end));
    ASSAY_TRY_ASSIGN(const std::size_t scratch, reference_->scratch_bytes(axes));
    ASSAY_TRY_ASSIGN(const std::size_t check_scratch, check_->scratch_bytes(axes));
    ASSAY_TRY(grow(scratch_, scratch));
    ASSAY_TRY(grow(check_scratch_, check_scratch));
    std::vector<DevicePointer> addresses;
    for (const std::size_t offset : offsets) {
      addresses.push_back(expected_.address() + offset);
    }
    return addresses;
  }

  Gpu* gpu_;
  const operators::Operator* op_;
  std::unique_ptr<operators::cuda::DeviceReference> reference_;
  std::unique_ptr<operators::cuda::DeviceCheck> check_;
  std::vector<operators::ExpectedValues> expected_values_;
  Memory inputs_;
  Memory outputs_;
  Memory expected_;
  Memory scratch_;
  Memory check_scratch_;
};

base::Result<void> measure_definition(Gpu& gpu, const dataset::Dataset& dataset, const std::string& name) {
  const operators::Operator* const op = operators::find_operator(name);
  if (op == nullptr) {
    return {};
  }
  ASSAY_TRY_ASSIGN(auto reference, operators::cuda::make_device_reference(name));
  ASSAY_TRY_ASSIGN(auto check, operators::cuda::make_device_check(*op));
  if (reference == nullptr || check == nullptr) {
    print({{"definition", name}, {"skipped", "no reference or no check of it on the device"}});
    return {};
  }
  ASSAY_TRY_ASSIGN(const task::Definition definition, dataset.definition(name));
  ASSAY_TRY_ASSIGN(const std::vector<task::Workload> workloads, dataset.workloads(name));
  const auto generator = op->make_generator(kSeed);
  Checked checked(gpu, *op, std::move(reference), std::move(check));
  double reference_ms = 0;
  double check_ms = 0;
  double longest_ms = 0;
  std::size_t sure = 0;
  for (const task::Workload& workload : workloads) {
    ASSAY_TRY_ASSIGN(base::Json row, checked.measure(*generator, definition, workload));
    reference_ms += row["reference_ms"].get<double>();
    check_ms += row["check_ms"].get<double>();
    longest_ms = std::max(longest_ms, row["reference_ms"].get<double>() + row["check_ms"].get<double>());
    sure += row["surely_right"].get<bool>() ? 1U : 0U;
    row["definition"] = name;
    print(row);
  }
  const auto count = static_cast<double>(workloads.size());
  print({{"definition", name},
         {"workloads", workloads.size()},
         {"surely_right", sure},
         {"mean_reference_ms", reference_ms / count},
         {"mean_check_ms", check_ms / count},
         {"longest_ms", longest_ms}});
  return {};
}

base::Result<void> run(int argc, char** argv) {
  ASSAY_TRY_ASSIGN(const dataset::Dataset dataset, dataset::Dataset::open(argv[1]));
  ASSAY_TRY_ASSIGN(Context context, Context::retain(0));
  ASSAY_TRY_ASSIGN(Stream stream, Stream::create());
  ASSAY_TRY_ASSIGN(const DeviceFacts facts, describe_device(0));
  ASSAY_TRY_ASSIGN(TrustedKernels kernels, TrustedKernels::load(context));
  print({{"date", base::utc_now()}, {"device", facts.name}, {"driver", facts.driver_version}});
  Gpu gpu{context, std::move(stream), std::move(kernels)};
  ASSAY_TRY(measure_kernels(gpu));
  for (const std::string& name : dataset.definition_names()) {
    if (argc <= 2 || std::find(argv + 2, argv + argc, name) != argv + argc) {
      ASSAY_TRY(measure_definition(gpu, dataset, name));
    }
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: {} DATASET [DEFINITION...]\n", argv[0]);
    return 2;
  }
  if (const auto done = run(argc, argv); !done) {
    fmt::print(stderr, "{}\n", done.error().text());
    return 3;
  }
  return 0;
}
