#include <assay/evaluate/worker_setup.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include <assay/base/text.hpp>
#include <assay/device/cuda/cupti.hpp>

namespace assay::evaluate {

namespace {

constexpr std::size_t kShownLog = std::size_t{64} << 10U;
// Bytes that are not text take up to four characters each, so that more is read than is shown.
constexpr std::size_t kReadLog = kShownLog * 4;
// What a candidate may write to files and logs in all; more is lost, without harm to it.
constexpr std::uint64_t kOutputLimit = std::uint64_t{16} << 20U;
// Arguments of trials that are larger than the request's, places that are tried in a memory.
constexpr std::size_t kSlackOfMemories = std::size_t{16} << 20U;

}  // namespace

base::Result<os::Fd> make_worker_log() {
  os::Fd log(memfd_create("log", MFD_CLOEXEC));
  if (!log.valid()) {
    return base::system_error("judge.log", "cannot create a memory file for logs", errno);
  }
  return log;
}

std::string read_worker_log(const os::Fd& log) {
  std::string text(kReadLog, '\0');
  const off_t size = lseek(log.get(), 0, SEEK_END);
  const off_t start = std::max<off_t>(0, size - static_cast<off_t>(text.size()));
  const ssize_t got = pread(log.get(), text.data(), text.size(), start);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return base::tail(base::printable(text), kShownLog);
}

base::Result<worker::WorkerOptions> worker_options(const task::EvaluationRequest& request, const RequestMeans& means,
                                                   const JudgeSettings& settings, const os::Fd& log) {
  std::size_t arguments = 0;
  for (const verify::Layout& layout : means.layouts) {
    arguments = std::max(arguments, layout.inputs_size + layout.outputs_size);
  }
  worker::WorkerOptions options;
  options.program = settings.worker;
  options.log = log.get();
  options.access = means.device->worker_access();
  if (task::timing_of(request).method == base::TimingMethod::cupti) {
    ASSAY_TRY(device::cuda::add_cupti(options.access, means.cupti));
  }
  options.memory_bytes = request.plan.worker_memory_bytes + 2 * (arguments + kSlackOfMemories);
  // A GPU's driver reserves far more addresses than there is memory: there what can be written to is bounded.
  (means.device->runs_remotely() ? options.limits.data_bytes : options.limits.address_space_bytes) =
      options.memory_bytes;
  options.limits.file_size_bytes = kOutputLimit;
  options.limits.open_files = 256;
  return options;
}

}  // namespace assay::evaluate
