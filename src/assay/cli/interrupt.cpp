#include <assay/cli/interrupt.hpp>

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace assay::cli {
namespace {

constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};

// A handler may only read what is there already.
std::array<char, 512> message_text{};
std::size_t message_size = 0;
std::array<struct sigaction, kSignals.size()> earlier{};

extern "C" void interrupted(int signal) {
  static_cast<void>(!::write(STDERR_FILENO, message_text.data(), message_size));
  // Blocked while the handler runs; takes effect when it returns.
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

}  // namespace

InterruptNotice::InterruptNotice(const std::string& message) {
  const std::string text = "\n" + message + "\n";
  message_size = std::min(text.size(), message_text.size());
  std::memcpy(message_text.data(), text.data(), message_size);
  struct sigaction action{};
  action.sa_handler = interrupted;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &action, &earlier[i]);
  }
}

InterruptNotice::~InterruptNotice() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &earlier[i], nullptr);
  }
}

}  // namespace assay::cli
