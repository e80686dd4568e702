#include <assay/device/cpu.hpp>

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>

#include <assay/base/digest.hpp>
#include <assay/base/parallel.hpp>
#include <assay/base/text.hpp>

namespace assay::device {

namespace {

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) {
        cpus.push_back(cpu);
      }
    }
  }
  return cpus;
}

// Best effort: a container may forbid it, and the fingerprint says what was asked for.
void keep_to(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) {
    CPU_SET(static_cast<std::size_t>(cpu), &set);
  }
  static_cast<void>(sched_setaffinity(0, sizeof set, &set));
}

std::string cpuinfo_field(const std::string& name) {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos && base::trim(std::string_view(line).substr(0, colon)) == name) {
      return std::string(base::trim(std::string_view(line).substr(colon + 1)));
    }
  }
  return "unknown";
}

class Cpu final : public Device {
 public:
  Cpu() : processor_(describe_processor()) {
    const std::vector<int>& cpus = processor_.allowed_cpus;
    if (!cpus.empty()) {
      judge_cpus_ = {cpus.front()};
      worker_cpus_ = cpus;
    }
    if (cpus.size() >= 4) {
      worker_cpus_.erase(worker_cpus_.begin());
    }
  }

  [[nodiscard]] std::string name() const override { return "cpu"; }

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> describe() const override {
    return {{"cpu", processor_.model},
            {"cpu_features_sha256", processor_.features_sha256},
            {"judge_cpus", fmt::format("{}", fmt::join(judge_cpus_, ","))},
            {"worker_cpus", fmt::format("{}", fmt::join(worker_cpus_, ","))},
            {"kernel", processor_.kernel}};
  }

  void place_judge() const override { keep_to(judge_cpus_); }
  void spread_judge() const override { keep_to(processor_.allowed_cpus); }

  base::Result<void> place_worker(const std::function<base::Result<void>()>& start) const override {
    keep_to(worker_cpus_);  // inherited by the child
    base::Result<void> result = start();
    place_judge();
    return result;
  }

  base::Result<std::unique_ptr<CallMemory>> create_memory(std::size_t size, os::PeerAccess access) const override {
    return make_host_memory(size, access);
  }

  void evict(std::span<const std::byte> bytes) const override { evict_from_caches(bytes); }

  [[nodiscard]] std::chrono::nanoseconds observe(const CallKey&, std::chrono::nanoseconds by_worker) const override {
    return by_worker;
  }

 private:
  Processor processor_;
  std::vector<int> judge_cpus_;
  std::vector<int> worker_cpus_;
};

}  // namespace

Processor describe_processor() {
  Processor processor;
  processor.model = cpuinfo_field("model name");
  processor.allowed_cpus = allowed_cpus();
  processor.features_sha256 = base::sha256(cpuinfo_field("flags")).hex();
  utsname names{};
  if (uname(&names) == 0) {
    processor.kernel = fmt::format("{} {} {}", names.sysname, names.release, names.machine);
  }
  return processor;
}

#if defined(__x86_64__)
namespace {

constexpr std::size_t kLine = 64;

// clflushopt is not ordered with itself, so that many write-backs are under way at once: several times quicker.
__attribute__((target("clflushopt"))) void flush_unordered(std::span<const std::byte> bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += kLine) {
    _mm_clflushopt(const_cast<std::byte*>(bytes.data() + at));
  }
}

void flush_ordered(std::span<const std::byte> bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += kLine) {
    _mm_clflush(bytes.data() + at);
  }
}

bool has_clflushopt() {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ebx & (1U << 23U)) != 0;
}

}  // namespace
#endif

void evict_from_caches(std::span<const std::byte> bytes) {
#if defined(__x86_64__)
  // Coherent: the lines leave every core's caches, ours and the worker's, wherever they are. Dirty lines are written
  // back here, outside any timed window.
  static const bool unordered = has_clflushopt();
  constexpr std::size_t kPiece = std::size_t{4} << 20U;
  base::parallel_for((bytes.size() + kPiece - 1) / kPiece, [&](std::size_t piece) {
    const auto part = bytes.subspan(piece * kPiece, std::min(kPiece, bytes.size() - piece * kPiece));
    _mm_mfence();
    if (unordered) {
      flush_unordered(part);
    } else {
      flush_ordered(part);
    }
    _mm_mfence();
  });
#else
  static_cast<void>(bytes);
  static std::vector<std::byte> other(std::size_t{512} << 20U, std::byte{1});
  unsigned sum = 0;
  for (std::size_t at = 0; at < other.size(); at += 64) {
    sum += std::to_integer<unsigned>(other[at]);
  }
  static volatile unsigned sink;
  sink = sum;
#endif
}

std::unique_ptr<Device> make_cpu() { return std::make_unique<Cpu>(); }

}  // namespace assay::device
