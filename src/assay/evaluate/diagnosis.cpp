#include <assay/evaluate/diagnosis.hpp>

#include <fmt/core.h>

#include <csignal>

#include <assay/base/text.hpp>
#include <assay/build/diagnostics.hpp>
#include <assay/device/cuda/driver.hpp>

namespace assay::evaluate {

namespace {

constexpr std::size_t kMostCompilerFindings = 5;

std::string_view while_doing(Activity activity) {
  switch (activity) {
    case Activity::load:
      return "while its object was loaded (static initialisers run then)";
    case Activity::map:
      return "before its first call";
    case Activity::call:
      return "during a call";
  }
  return "";
}

// A fault that has a place in the judge's memory: what was touched, for people. Nullopt: the address is elsewhere.
std::optional<task::Finding> access_finding(const worker::Fault& fault, const verify::Layout& layout) {
  if (fault.memory == worker::Memory::none) {
    return std::nullopt;
  }
  const bool outputs = fault.memory == worker::Memory::outputs;
  const verify::Located located = verify::locate(layout, outputs, fault.offset);
  task::Finding finding;
  finding.tensor = located.tensor;
  finding.index = located.index;
  if (!outputs && fault.write) {
    finding.kind = "input_written";
    finding.message = fmt::format("it wrote to its input {}: inputs are read-only", located.text);
  } else {
    finding.kind = "out_of_bounds";
    finding.message = fmt::format("it {} {}", fault.write ? "wrote to" : "accessed", located.text);
  }
  return finding;
}

task::Finding plain(const char* kind, std::string message) {
  task::Finding finding;
  finding.kind = kind;
  finding.message = std::move(message);
  return finding;
}

// What usually lies behind a signal, for someone who did not mean it.
std::string_view usual_reason(const worker::Fault& fault) {
  constexpr std::uint64_t kFirstPage = 4096;
  switch (fault.signal) {
    case SIGABRT:
      return ": abort, a failed assertion, damage to the heap, or an exception that left the entry point (its last "
             "words "
             "are in output.log)";
    case SIGFPE:
      return ": an integer division by zero";
    case SIGILL:
      return ": an instruction that this processor does not have, or __builtin_unreachable";
    case SIGSEGV:
    case SIGBUS:
      return fault.address < kFirstPage
                 ? ": a null pointer"
                 : ": no memory of its own lies there (a stray pointer, or a stack that is full)";
    default:
      return "";
  }
}

// The same for what a GPU's driver says; the numbers are CUresult's.
std::string_view usual_reason(std::int32_t status) {
  constexpr std::int32_t kOutOfMemory = 2;
  constexpr std::int32_t kInvalidContext = 201;
  constexpr std::int32_t kIllegalAddress = 700;
  constexpr std::int32_t kContextDestroyed = 709;
  constexpr std::int32_t kAssert = 710;
  constexpr std::int32_t kMisalignedAddress = 716;
  constexpr std::int32_t kLaunchFailed = 719;
  switch (status) {
    case kOutOfMemory:
      return ": it asked for more memory than the device has left";
    case kInvalidContext:
    case kContextDestroyed:
      return ": it destroyed or reset the device's context, in which the judge's memory lies";
    case kIllegalAddress:
      return ": a kernel read or wrote where nothing of its own lies, or wrote to an input, which is read-only";
    case kAssert:
      return ": a device-side assertion failed";
    case kMisalignedAddress:
      return ": a load or store at an address that is no multiple of its width";
    case kLaunchFailed:
      return ": a kernel ended abnormally (a trap, a stack that is full)";
    default:
      return "";
  }
}

// A compiler says what happened to it; that a limit or the sandbox of a build did it, it does not know.
std::string with_remedy(const std::string& line) {
  std::string text(base::trim(line));
  if (text.find("File size limit exceeded") != std::string::npos) {
    text += ": a file of the build became larger than it may; make large tables at run time";
  } else if (text.find("file not found: ") != std::string::npos ||
             text.find("No such file or directory") != std::string::npos) {
    text += " (a build sees the solution's sources and the system's headers, and no other file of this machine)";
  }
  return text;
}

}  // namespace

Fault diagnose(const worker::Failure& failure, task::Side side, Activity activity, const verify::Layout* layout,
               std::optional<std::int32_t> workload) {
  Fault fault;
  fault.side = side;
  task::Finding finding;
  switch (failure.kind) {
    case worker::Failure::Kind::fault: {
      const std::optional<task::Finding> access =
          layout == nullptr ? std::nullopt : access_finding(*failure.fault, *layout);
      fault.outcome = access ? task::Outcome::incorrect : task::Outcome::crashed;
      finding = access ? *access
                       : plain("signal", fmt::format("{} {}{}", failure.text, while_doing(activity),
                                                     usual_reason(*failure.fault)));
      break;
    }
    case worker::Failure::Kind::died:
      fault.outcome = task::Outcome::crashed;
      finding = plain("died",
                      fmt::format("its process ended ({}) {}: {}", failure.text, while_doing(activity),
                                  activity == Activity::load
                                      ? "none of them may end the process"
                                      : "return from the entry point, and leave descriptors alone that are not yours"));
      break;
    case worker::Failure::Kind::killed_from_outside:
      fault.outcome = task::Outcome::crashed;
      finding = plain("killed", fmt::format("its process was killed from outside, again and again, {}: out of memory?",
                                            while_doing(activity)));
      break;
    case worker::Failure::Kind::timed_out:
      fault.outcome = task::Outcome::timed_out;
      finding = plain("timeout", fmt::format("{} {}: the policy sets this limit", failure.text, while_doing(activity)));
      break;
    case worker::Failure::Kind::protocol_violation:
      fault.outcome = task::Outcome::protocol_violation;
      finding =
          plain("protocol", fmt::format("{} {}: something wrote to a descriptor that is not the candidate's (write "
                                        "to standard output or error only)",
                                        failure.text, while_doing(activity)));
      break;
  }
  finding.side = side;
  finding.workload = workload;
  fault.cause = finding.message;
  fault.findings.push_back(std::move(finding));
  return fault;
}

task::Finding entry_failure(const worker::CallReply& reply) {
  return reply.text.empty()
             ? plain("returned", fmt::format("its entry point returned {} (0 is success)", reply.return_code))
             : plain("raised", "its entry point raised " + base::printable(reply.text));
}

std::string describe_device_failure(std::int32_t status, std::int32_t return_code) {
  std::string text = fmt::format("the GPU's driver reported {} during a call{}", device::cuda::status_text(status),
                                 usual_reason(status));
  if (return_code != 0) {
    text += fmt::format("; its entry point returned {}", return_code);
  }
  return text;
}

std::string describe_refused_launch(std::uint32_t launch, std::int32_t status) {
  constexpr std::int32_t kOutOfResources = 701;
  constexpr std::int32_t kCooperativeTooLarge = 720;
  const char* reason = "more threads, shared memory or blocks of a cluster than this kernel or this device takes";
  if (status == kOutOfResources) {
    reason = "the kernel needs more registers than there are for so many threads (see __launch_bounds__)";
  } else if (status == kCooperativeTooLarge) {
    reason = "a cooperative launch has no more blocks than fit on the device at once";
  }
  return fmt::format("the GPU's driver refused /launches/{} of the launch plan, {}: {}", launch - 1,
                     device::cuda::status_text(status), reason);
}

std::string describe_capture_failure(std::int32_t status) {
  return fmt::format(
      "its call cannot be captured into a CUDA graph (the driver says {}): put all work on assay_stream(call) or on "
      "streams that wait for it and that it waits for, use no default stream, and do not wait for the device; or time "
      "by events",
      device::cuda::status_text(status));
}

std::string describe_refused_object(const std::string& words) {
  std::string text = base::printable(words);
  if (const std::size_t end = text.find(": "); end != std::string::npos && text.starts_with("/proc/self/fd/")) {
    text.erase(0, end + 2);
  }
  const bool lacks_symbol = text.find("undefined symbol") != std::string::npos;
  return "the loader refused the object: " + text +
         (lacks_symbol ? ": a candidate is loaded with the standard C and C++ libraries alone; define it in the sources"
                       : "");
}

std::vector<task::Finding> compiler_findings(const std::string& log, task::Side side) {
  std::vector<task::Finding> findings;
  const std::vector<std::string> lines = base::split(log, '\n');
  for (const std::string& line : lines) {
    const bool says_error = line.find(": error: ") != std::string::npos ||
                            line.find(": fatal error: ") != std::string::npos ||
                            line.find(": Error: ") != std::string::npos ||  // The assembler's.
                            line.find("undefined reference") != std::string::npos;
    if (says_error && findings.size() < kMostCompilerFindings) {
      findings.push_back(plain("compiler", with_remedy(line)));
      findings.back().side = side;
    }
  }
  if (findings.empty()) {  // CUDA's programs have forms of their own: "ptxas error   : …".
    for (const build::Diagnostic& message : build::parse_diagnostics(log).messages) {
      if (message.severity == build::Severity::error && findings.size() < kMostCompilerFindings) {
        findings.push_back(plain("compiler", message.message));
        findings.back().side = side;
      }
    }
  }
  if (findings.empty()) {
    for (const std::string& line : lines) {
      if (!base::trim(line).empty()) {
        findings.push_back(plain("compiler", with_remedy(line)));
        findings.back().side = side;
        break;
      }
    }
  }
  return findings;
}

}  // namespace assay::evaluate
