#include <assay/device/simulated.hpp>

#include <fmt/core.h>

#include <cmath>
#include <cstring>

#include <assay/base/random.hpp>

namespace assay::device {

namespace {

constexpr double kSpeedRange = 0.30;
constexpr double kPlacementDeviation = 0.006;
constexpr double kNoiseDeviation = 0.008;
constexpr double kShortest = 5e3;   // ns
constexpr double kLongest = 500e3;  // ns

class Simulated final : public Device {
 public:
  explicit Simulated(std::uint64_t device_seed) : device_seed_(device_seed) {}

  [[nodiscard]] std::string name() const override { return fmt::format("simulated:{}", device_seed_); }
  [[nodiscard]] bool simulated() const override { return true; }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> describe() const override {
    return {{"clock", "simulated; no time of this device says anything about a real one"}};
  }
  void place_judge() const override {}
  void spread_judge() const override {}
  base::Result<void> place_worker(const std::function<base::Result<void>()>& start) const override { return start(); }
  base::Result<std::unique_ptr<CallMemory>> create_memory(std::size_t size, os::PeerAccess access) const override {
    return make_host_memory(size, access);
  }
  void evict(std::span<const std::byte>) const override {}

  [[nodiscard]] std::chrono::nanoseconds observe(const CallKey& key, std::chrono::nanoseconds) const override {
    std::uint64_t candidate = 0;
    std::memcpy(&candidate, key.candidate.bytes().data(), sizeof candidate);
    std::uint64_t code = 0;
    std::memcpy(&code, key.code.bytes().data(), sizeof code);
    const std::uint64_t workload = base::stream_id(key.workload);
    base::Philox of_workload(device_seed_, workload);
    base::Philox of_code(device_seed_, code);
    const std::uint64_t process =
        key.process == 0 ? candidate : base::mix(candidate, static_cast<std::uint64_t>(key.process));
    base::Philox of_pair(base::mix(device_seed_, key.seed), base::mix(process, static_cast<std::uint64_t>(key.pair)));
    base::Philox of_call(
        base::mix(base::mix(device_seed_, key.seed), workload),
        base::mix(process, (static_cast<std::uint64_t>(key.pair) << 32U) | static_cast<std::uint32_t>(key.repetition)));
    const double log_time = std::log(kShortest) + of_workload.next_uniform() * std::log(kLongest / kShortest) +
                            kSpeedRange * (2 * of_code.next_uniform() - 1) +
                            kPlacementDeviation * of_pair.next_normal() + kNoiseDeviation * of_call.next_normal();
    return std::chrono::nanoseconds(std::llround(std::exp(log_time)));
  }

 private:
  std::uint64_t device_seed_;
};

}  // namespace

std::unique_ptr<Device> make_simulated(std::uint64_t device_seed) { return std::make_unique<Simulated>(device_seed); }

}  // namespace assay::device
