#include <assay/base/time.hpp>

#include <array>
#include <ctime>

namespace assay::base {

std::string to_utc(std::chrono::system_clock::time_point when) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(when);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> buffer{};
  const std::size_t size = std::strftime(buffer.data(), buffer.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {buffer.data(), size};
}

std::string utc_now() { return to_utc(std::chrono::system_clock::now()); }

}  // namespace assay::base
