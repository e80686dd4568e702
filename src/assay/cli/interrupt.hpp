#pragma once

#include <string>

namespace assay::cli {

/// While it lives, an interrupt (SIGINT, SIGTERM, SIGHUP) prints the message on stderr and then ends the program by that
/// signal. Nothing needs to be cleaned up: children die with us (os/process.hpp), and the archive is safe at any
/// moment. One at a time.
class InterruptNotice {
 public:
  explicit InterruptNotice(const std::string& message);
  ~InterruptNotice();
  InterruptNotice(const InterruptNotice&) = delete;
  InterruptNotice& operator=(const InterruptNotice&) = delete;
};

}  // namespace assay::cli
