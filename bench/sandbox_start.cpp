// How long a program takes to start in the sandbox, above plain exec: plain, in a PID namespace alone, and in the whole
// sandbox, interleaved. Prints JSON, and writes it to the file named. Takes no part in ./dev test: wall time is no gate.

#include <sched.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <assay/base/json.hpp>
#include <assay/base/time.hpp>
#include <assay/os/process.hpp>
#include <assay/os/sandbox/detect.hpp>

namespace {

using namespace assay;
using Clock = std::chrono::steady_clock;

constexpr int kRounds = 300;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

struct Way {
  const char* name;
  os::ProcessOptions options;
  std::vector<double> to_exec;  // Until the program has been executed.
  std::vector<double> to_end;   // Until it has ended and everything of it is gone.
};

base::Json summary(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) { return values[static_cast<std::size_t>(share * (kRounds - 1))]; };
  return {{"median", at(0.5)}, {"p10", at(0.1)}, {"p90", at(0.9)}, {"min", values.front()}, {"max", values.back()}};
}

std::vector<double> above(const std::vector<double>& values, const std::vector<double>& plain) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < values.size(); ++i) {
    differences.push_back(values[i] - plain[i]);
  }
  return differences;
}

os::ProcessOptions plain(os::Containment containment) {
  os::ProcessOptions options;
  options.argv = {"/bin/true"};
  options.containment = containment;
  return options;
}

os::ProcessOptions sandboxed() {
  os::ProcessOptions options = plain(os::Containment::pid_namespace);
  os::SandboxOptions sandbox;
  sandbox.binds = os::runtime_binds();
  sandbox.binds.push_back({"/bin/true", "/program", os::SandboxBind::Use::execute});
  sandbox.folders = {{"", "/tmp", std::uint64_t{64} << 20U}};
  sandbox.memory_bytes = std::uint64_t{1} << 30U;
  options.argv = {os::seen_path("/bin/true", "/program").string()};
  options.sandbox = std::move(sandbox);
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Clock::time_point before = Clock::now();
  const os::SandboxReport& report = os::sandbox_support().report;
  const double detection = milliseconds_since(before);
  std::array<Way, 3> ways = {Way{"plain", plain(os::Containment::process_group), {}, {}},
                             Way{"pid_namespace", plain(os::Containment::pid_namespace), {}, {}},
                             Way{"sandbox", sandboxed(), {}, {}}};
  for (int round = 0; round < kRounds; ++round) {
    for (Way& way : ways) {
      const Clock::time_point start = Clock::now();
      auto process = os::Process::spawn(way.options);
      if (!process) {
        std::fprintf(stderr, "%s: %s\n", way.name, process.error().text().c_str());
        return 1;
      }
      way.to_exec.push_back(milliseconds_since(start));
      static_cast<void>(process->wait_for(std::chrono::seconds(10)));
      way.to_end.push_back(milliseconds_since(start));
    }
  }
  utsname machine{};
  uname(&machine);
  double load = 0;
  static_cast<void>(getloadavg(&load, 1));
  base::Json json = {
      {"benchmark", "start of a program in the sandbox, milliseconds"},
      {"date", base::utc_now()},
      {"machine", {{"kernel", machine.release}, {"architecture", machine.machine}}},
      // On a busy machine each hand-over between processes waits for a time slice: chrt -f 1 avoids that.
      {"real_time_priority", sched_getscheduler(0) == SCHED_FIFO},
      {"load_average", load},
      {"level", base::to_string(report.level())},
      {"rounds", kRounds},
      {"detection_once_ms", detection}};
  for (const Way& way : ways) {
    json[way.name] = {{"to_exec_ms", summary(way.to_exec)}, {"to_end_ms", summary(way.to_end)}};
  }
  json["sandbox_above_plain"] = {{"to_exec_ms", summary(above(ways[2].to_exec, ways[0].to_exec))},
                                 {"to_end_ms", summary(above(ways[2].to_end, ways[0].to_end))}};
  const std::string text = base::dump_pretty(json) + "\n";
  std::fputs(text.c_str(), stdout);
  const auto written = argc > 1 ? os::write_file_atomic(argv[1], text) : base::Result<void>();
  return written ? 0 : 1;
}
