#include <assay/device/cuda/matrix_peaks.hpp>

#include <algorithm>
#include <array>
#include <span>

#include <assay/device/cuda/device_code.hpp>

namespace assay::device::cuda {

namespace code {
DeviceCode matrix_kernels();  // Written by the build.
}

namespace {

constexpr int kRuns = 6;  // The first warms up: from idle the clocks take a while to rise.
constexpr unsigned kSeed = 20261130;
constexpr std::size_t kSinkBytes = 4096;

// What assay_matrix_facts tells, in its order.
struct MatrixFacts {
  unsigned is_wgmma = 0;
  unsigned threads = 0;
  unsigned blocks_a_multiprocessor = 0;
  unsigned shared_bytes = 0;
  unsigned rounds = 0;
  unsigned bf16_operations = 0;  // Of one block in one round.
  unsigned e4m3_operations = 0;  // 0: there is no such instruction.
};

class MatrixTimer {
 public:
  static base::Result<MatrixTimer> create(const Context& context) {
    MatrixTimer timer;
    ASSAY_TRY(context.make_current());
    ASSAY_TRY_ASSIGN(const DeviceFacts device, describe_device(context.ordinal()));
    timer.multiprocessors_ = static_cast<unsigned>(device.multiprocessors);
    ASSAY_TRY_ASSIGN(timer.module_, load_device_code("matrix_kernels", code::matrix_kernels()));
    ASSAY_TRY_ASSIGN(timer.sink_, Memory::create(context, kSinkBytes));
    ASSAY_TRY_ASSIGN(timer.stream_, Stream::create());
    ASSAY_TRY_ASSIGN(timer.before_, Event::create());
    ASSAY_TRY_ASSIGN(timer.after_, Event::create());
    ASSAY_TRY_ASSIGN(const abi::FunctionHandle facts, timer.module_.function("assay_matrix_facts"));
    ASSAY_TRY(launch(facts, {}, timer.stream_, timer.sink_.address()));
    ASSAY_TRY(
        copy_from_device(std::as_writable_bytes(std::span(&timer.facts_, 1)), timer.sink_.address(), timer.stream_));
    ASSAY_TRY(timer.stream_.synchronize());
    return timer;
  }

  [[nodiscard]] const MatrixFacts& facts() const { return facts_; }

  // Operations a nanosecond, of the best run.
  [[nodiscard]] base::Result<double> measure(const char* kernel, unsigned operations) const {
    ASSAY_TRY_ASSIGN(const abi::FunctionHandle function, module_.function(kernel));
    if (facts_.shared_bytes > 0) {
      ASSAY_TRY(allow_shared_memory(function, facts_.shared_bytes));
    }
    const unsigned blocks = multiprocessors_ * facts_.blocks_a_multiprocessor;
    const LaunchShape shape{{blocks, 1, 1}, {facts_.threads, 1, 1}, facts_.shared_bytes};
    double best = 0;
    for (int run = 0; run < kRuns; ++run) {
      ASSAY_TRY(before_.record(stream_));
      ASSAY_TRY(launch(function, shape, stream_, facts_.rounds, kSeed, sink_.address()));
      ASSAY_TRY(after_.record(stream_));
      ASSAY_TRY(after_.synchronize());
      ASSAY_TRY_ASSIGN(const std::int64_t ns, elapsed_ns(before_, after_));
      const double total = static_cast<double>(operations) * blocks * facts_.rounds;
      best = std::max(best, total / static_cast<double>(std::max<std::int64_t>(1, ns)));
    }
    return best;
  }

 private:
  MatrixTimer() = default;
  Module module_;
  Memory sink_;
  Stream stream_;
  Event before_;
  Event after_;
  MatrixFacts facts_;
  unsigned multiprocessors_ = 0;
};

}  // namespace

bool is_fastest_instruction(int major, bool wgmma) { return wgmma ? major == 9 : major == 8; }

base::Result<void> measure_matrix_peaks(const Context& context, DevicePeaks& peaks) {
  ASSAY_TRY_ASSIGN(const MatrixTimer timer, MatrixTimer::create(context));
  ASSAY_TRY_ASSIGN(const DeviceFacts device, describe_device(context.ordinal()));
  const MatrixFacts& facts = timer.facts();
  const bool wgmma = facts.is_wgmma != 0;
  ASSAY_TRY_ASSIGN(peaks.bf16_operations_per_ns, timer.measure("assay_matrix_bf16", facts.bf16_operations));
  if (facts.e4m3_operations > 0) {
    ASSAY_TRY_ASSIGN(peaks.e4m3_operations_per_ns, timer.measure("assay_matrix_e4m3", facts.e4m3_operations));
  }
  peaks.matrix_instruction = wgmma ? "wgmma" : "mma.sync";
  peaks.matrix_is_fastest = is_fastest_instruction(device.major, wgmma);
  return {};
}

}  // namespace assay::device::cuda
