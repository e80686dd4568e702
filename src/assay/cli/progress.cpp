#include <assay/cli/progress.hpp>

#include <unistd.h>

#include <cstdio>

#include <assay/base/text.hpp>

namespace assay::cli {

ProgressDisplay::ProgressDisplay() : line_(os::is_terminal(STDERR_FILENO)) {}

void ProgressDisplay::step(double done, double total, const std::string& what) {
  line_.update(done, total, base::printable(what));
}

void ProgressDisplay::event(const std::string& line) {
  line_.clear();
  static_cast<void>(std::fputs((base::printable(line) + "\n").c_str(), stderr));
}

void ProgressDisplay::clear() { line_.clear(); }

}  // namespace assay::cli
