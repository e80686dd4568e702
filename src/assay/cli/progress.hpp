#pragma once

#include <string>

#include <assay/os/terminal.hpp>

namespace assay::cli {

/// Shows progress on stderr: a line that rewrites itself with the time left on a terminal, and events as lines of their
/// own everywhere.
class ProgressDisplay {
 public:
  ProgressDisplay();

  void step(double done, double total, const std::string& what);
  void event(const std::string& line);
  void clear();

 private:
  os::ProgressLine line_;
};

}  // namespace assay::cli
