#include <assay/verify/python_reference.hpp>

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <utility>

#include <nlohmann/json.hpp>

#include <assay/base/json.hpp>
#include <assay/base/text.hpp>
#include <assay/os/deadline.hpp>
#include <assay/os/socket.hpp>
#include <assay/verify/python_driver.hpp>
#include <assay/verify/python_interpreter.hpp>

namespace assay::verify {
namespace {

using base::Json;

constexpr int kChannel = 3;
constexpr std::size_t kLongestHeader = std::size_t{64} << 10U;
constexpr std::uint64_t kLongestLog = std::uint64_t{1} << 20U;
constexpr std::size_t kLogShown = 600;
constexpr std::uint64_t kScratchBytes = std::uint64_t{16} << 20U;
constexpr double kExactIntegers = 0x1p53;

struct Frame {
  std::uint64_t header = 0;
  std::uint64_t payload = 0;
};

os::ProcessOptions process_options(const PythonInterpreter& python, int channel, int log, const PythonLimits& limits) {
  os::ProcessOptions options;
  // Isolated: neither its environment nor the current folder nor a user's packages decide what is imported.
  options.argv = {python.program.string(), "-I", "-B", "-X", "utf8", "-c", std::string(python_driver())};
  options.environment = {{"PATH", "/usr/bin:/bin"}, {"LANG", "C.UTF-8"},         {"HOME", "/tmp"},
                         {"TMPDIR", "/tmp"},        {"OMP_NUM_THREADS", "1"},    {"OPENBLAS_NUM_THREADS", "1"},
                         {"MKL_NUM_THREADS", "1"},  {"CUDA_VISIBLE_DEVICES", ""}};
  options.working_directory = "/";
  options.descriptors = {{channel, kChannel}};
  options.standard_output = log;
  options.standard_error = log;
  options.limits.address_space_bytes = 2 * limits.memory_bytes;
  options.limits.file_size_bytes = kLongestLog;
  options.limits.open_files = 256;
  os::SandboxOptions sandbox;
  sandbox.purpose = os::SandboxPurpose::candidate;
  sandbox.binds = python.binds;
  sandbox.folders = {{os::Path(), "/tmp", kScratchBytes}};
  sandbox.memory_bytes = limits.memory_bytes;
  sandbox.processes = 64;
  options.sandbox = std::move(sandbox);
  return options;
}

Json describe(const task::Named<task::TensorSpec>& specs) {
  Json list = Json::array();
  for (const auto& [name, spec] : specs) {
    list.push_back(
        {{"name", name}, {"dtype", std::string(tensor::to_string(spec.dtype))}, {"bits", tensor::bits(spec.dtype)}});
  }
  return list;
}

// As text, because JSON has no NaN and no infinity.
Json describe(const operators::Scalar& scalar) {
  if (const auto* integer = std::get_if<std::int64_t>(&scalar)) {
    return Json::array({"i", std::to_string(*integer)});
  }
  if (const auto* boolean = std::get_if<bool>(&scalar)) {
    return Json::array({"b", *boolean ? "true" : "false"});
  }
  return Json::array({"f", fmt::format("{:.17g}", std::get<double>(scalar))});
}

// What a failed process may say of itself; a hostile Python has the same descriptors, so that nothing of it is
// believed.
std::string text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? base::printable(found->get<std::string>()) : "";
}

}  // namespace

struct PythonReference::Answer {
  Json header;
  std::vector<std::byte> payload;
};

PythonReference::PythonReference(os::Process process, os::Fd channel, os::Fd log, const task::Definition& definition,
                                 const PythonLimits& limits)
    : process_(std::move(process)),
      channel_(std::move(channel)),
      log_(std::move(log)),
      definition_(definition),
      limits_(limits) {}

base::Result<PythonReference> PythonReference::start(const task::Definition& definition, const PythonLimits& limits) {
  ASSAY_TRY_ASSIGN(const PythonInterpreter python, find_python());
  ASSAY_TRY_ASSIGN(auto sockets, os::socket_pair());
  os::Fd log(::memfd_create("log", MFD_CLOEXEC));
  if (!log.valid()) {
    return base::system_error("python.log", "cannot create a memory file for the reference's output", errno);
  }
  const os::ProcessOptions options = process_options(python, sockets.second.get(), log.get(), limits);
  ASSAY_TRY_ASSIGN(os::Process process,
                   base::with_context(os::Process::spawn(options), "while starting " + python.program.string()));
  sockets.second.reset();
  PythonReference reference(std::move(process), std::move(sockets.first), std::move(log), definition, limits);
  ASSAY_TRY(reference.load());
  return reference;
}

base::Result<void> PythonReference::load() {
  const Json request = {{"load",
                         {{"source", definition_.reference},
                          {"inputs", describe(definition_.inputs)},
                          {"outputs", describe(definition_.outputs)}}}};
  ASSAY_TRY_ASSIGN(const Answer answer, exchange(base::dump_compact(request), {}, 0, limits_.load));
  version_ = text_of(answer.header, "loaded");
  return version_.empty() ? base::Result<void>(gone("answered what is no answer")) : base::Result<void>();
}

tl::unexpected<base::Error> PythonReference::gone(const std::string& what) {
  alive_ = false;
  const bool out_of_memory = process_.out_of_memory();
  process_.kill();
  std::string said(kLogShown, '\0');
  const off_t size = ::lseek(log_.get(), 0, SEEK_END);
  const off_t begin = std::max<off_t>(0, size - static_cast<off_t>(said.size()));
  const ssize_t got = ::pread(log_.get(), said.data(), said.size(), begin);
  said.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  const std::string shown(base::trim(base::printable(said)));
  return base::input_error(
      "reference.process",
      fmt::format(
          "definition {}: the process of its Python reference {}{}{}", definition_.name,
          out_of_memory ? fmt::format("needed more than {} of memory", base::human_bytes(limits_.memory_bytes)) : what,
          shown.empty() ? "" : "; it last said: ", shown));
}

tl::unexpected<base::Error> PythonReference::failed(std::string_view what, const std::string& text,
                                                    const std::string& where, const std::string& module) const {
  const std::string place = where.empty() ? "" : " (" + where + ")";
  if (what == "module") {
    return base::environment_error(
        "reference.module",
        fmt::format("definition {}: its Python reference needs {}, which this Python lacks: {}{}; install it, or name "
                    "another interpreter with ASSAY_PYTHON",
                    definition_.name, module.empty() ? "a module" : "the module '" + module + "'", text, place));
  }
  if (what == "memory") {
    return base::input_error("reference.memory",
                             fmt::format("definition {}: its Python reference needs more than {} of memory: {}{}",
                                         definition_.name, base::human_bytes(2 * limits_.memory_bytes), text, place));
  }
  if (what == "outputs") {
    return base::input_error(
        "reference.outputs",
        fmt::format("definition {}: its Python reference does not keep to /outputs: {}", definition_.name, text));
  }
  return base::input_error("reference.raised", fmt::format("definition {}: its Python reference failed: {}{}",
                                                           definition_.name, text, place));
}

base::Result<PythonReference::Answer> PythonReference::exchange(std::string_view header,
                                                                std::span<const std::span<const std::byte>> parts,
                                                                std::size_t most_payload,
                                                                std::chrono::milliseconds limit) {
  if (!alive_) {
    return gone("has ended");
  }
  const os::Deadline deadline(limit);
  base::Result<os::Transfer> moved = os::Transfer::done;
  const auto send = [&](std::span<const std::byte> bytes) {
    if (moved && *moved == os::Transfer::done && !bytes.empty()) {
      moved = os::send_all(channel_, bytes, {}, deadline.left());
    }
  };
  const auto receive = [&](std::span<std::byte> bytes) {
    if (moved && *moved == os::Transfer::done && !bytes.empty()) {
      moved = os::receive_all(channel_, bytes, nullptr, 0, deadline.left());
    }
  };
  Frame frame;
  frame.header = header.size();
  for (const auto& part : parts) {
    frame.payload += part.size();
  }
  send(std::as_bytes(std::span(&frame, 1)));
  send(std::as_bytes(std::span(header)));
  for (const auto& part : parts) {
    send(part);
  }
  receive(std::as_writable_bytes(std::span(&frame, 1)));
  if (moved && *moved == os::Transfer::done && (frame.header > kLongestHeader || frame.payload > most_payload)) {
    return gone("answered more than its outputs hold");
  }
  const bool sizes_known = moved && *moved == os::Transfer::done;
  std::string text(sizes_known ? frame.header : 0, '\0');
  Answer answer;
  answer.payload.resize(sizes_known ? frame.payload : 0);
  receive(std::as_writable_bytes(std::span(text)));
  receive(answer.payload);
  if (!moved) {
    return tl::unexpected(std::move(moved.error()));
  }
  if (*moved == os::Transfer::timed_out) {
    return gone(fmt::format("took longer than {}", base::human(limit)));
  }
  if (*moved == os::Transfer::closed) {
    ASSAY_TRY_ASSIGN(const auto status, process_.wait_for(std::chrono::seconds(1)));
    return gone(status ? "ended by itself: " + status->text() : "closed its channel");
  }
  base::Result<Json> parsed = base::parse_json(text, "the answer of the reference");
  if (!parsed || !parsed->is_object()) {
    return gone("answered what is no answer");
  }
  answer.header = std::move(*parsed);
  if (const auto fault = answer.header.find("failed"); fault != answer.header.end()) {
    if (!fault->is_object()) {
      return gone("answered what is no answer");
    }
    return failed(text_of(*fault, "what"), text_of(*fault, "text"), text_of(*fault, "where"),
                  text_of(*fault, "module"));
  }
  return answer;
}

base::Result<void> PythonReference::call(const task::AxisValues& axes, std::span<const operators::ConstArgument> inputs,
                                         std::vector<operators::ExpectedValues>& outputs) {
  Json shapes = Json::array();
  Json scalars = Json::array();
  std::vector<std::span<const std::byte>> parts;
  for (const operators::ConstArgument& input : inputs) {
    if (const auto* view = std::get_if<tensor::ConstView>(&input)) {
      shapes.push_back(view->shape);
      parts.push_back(view->bytes);
    } else {
      shapes.push_back(nullptr);
      scalars.push_back(describe(std::get<operators::Scalar>(input)));
    }
  }
  std::vector<tensor::Shape> results;
  std::size_t expected_bytes = 0;
  for (const auto& [name, spec] : definition_.outputs) {
    ASSAY_TRY_ASSIGN(tensor::Shape shape, task::resolve_shape(spec, axes));
    expected_bytes += tensor::element_count(shape) * sizeof(double);
    results.push_back(std::move(shape));
  }
  const Json request = {{"call", {{"shapes", shapes}, {"scalars", scalars}, {"results", results}}}};
  ASSAY_TRY_ASSIGN(const Answer answer, exchange(base::dump_compact(request), parts, expected_bytes, limits_.call));
  const auto kinds = answer.header.find("outputs");
  if (kinds == answer.header.end() || !kinds->is_array() || kinds->size() != results.size() ||
      answer.payload.size() != expected_bytes) {
    return gone("answered what is no answer");
  }
  outputs.resize(results.size());
  std::size_t at = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::size_t count = tensor::element_count(results[i]);
    outputs[i].resize(count);
    const bool floating = tensor::is_floating(definition_.outputs[i].second.dtype);
    for (std::size_t element = 0; element < count; ++element, at += sizeof(double)) {
      if (floating) {
        std::memcpy(&outputs[i][element], answer.payload.data() + at, sizeof(double));
        continue;
      }
      std::int64_t value = 0;
      std::memcpy(&value, answer.payload.data() + at, sizeof value);
      outputs[i][element] = static_cast<double>(value);
      if (std::fabs(outputs[i][element]) > kExactIntegers) {
        return base::input_error("reference.range",
                                 fmt::format("definition {}: output {} is {} somewhere: integers beyond 2^53 cannot be "
                                             "compared",
                                             definition_.name, definition_.outputs[i].first, value));
      }
    }
  }
  return {};
}

}  // namespace assay::verify
