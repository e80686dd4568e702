#include <assay/service/doctor.hpp>

#include <fmt/core.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <system_error>
#include <thread>

#include <assay/archive/archive.hpp>
#include <assay/base/text.hpp>
#include <assay/os/process.hpp>
#include <assay/os/shared_memory.hpp>

namespace assay::service {
namespace {

using State = Capability::State;

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20U;
constexpr std::uint64_t kNeededBytes = 200 * kMebibyte;
constexpr std::uint64_t kComfortableBytes = 2048 * kMebibyte;
constexpr std::chrono::seconds kVersionLimit(10);

std::string first_line(std::string_view text) { return base::printable(base::trim(text.substr(0, text.find('\n')))); }

std::optional<std::string> version_of(const os::Path& program) {
  os::ProcessOptions options;
  options.argv = {program.string(), "--version"};
  const char* path = std::getenv("PATH");
  options.environment = {{"PATH", path == nullptr ? "/usr/bin:/bin" : path}, {"LC_ALL", "C.UTF-8"}};
  const auto result = os::run_command(std::move(options), kVersionLimit, std::size_t{1} << 16U);
  if (!result || !result->status.success()) {
    return std::nullopt;
  }
  return first_line(result->output);
}

Capability compiler(const std::string& name, State otherwise, const std::string& remedy) {
  const auto program = os::find_program(name);
  if (!program) {
    return {name, otherwise, "not on PATH", remedy};
  }
  const auto version = version_of(*program);
  if (!version) {
    return {name, otherwise, program->string() + " does not answer --version", remedy};
  }
  return {name, State::available, *version, ""};
}

// Either compiler will do; only if both are absent is something missing.
void examine_compilers(std::vector<Capability>& found) {
  Capability gnu = compiler("g++", State::absent, "apt-get install g++; clang++ is used if it is there");
  Capability clang = compiler("clang++", State::absent, "only needed to compare compilers");
  if (clang.state != State::available) {
    clang = compiler("clang++-19", State::absent, "only needed to compare compilers");
  }
  if (gnu.state != State::available && clang.state != State::available) {
    gnu.state = State::missing;
    gnu.remedy = "candidates in C and C++ cannot be built: apt-get install g++";
  }
  found.push_back(std::move(gnu));
  found.push_back(std::move(clang));
}

Capability judge(const Places& places, base::Json& machine) {
  auto described = describe_machine(places, "cpu");
  if (!described) {
    return {"assay-judge", State::missing, described.error().message, "nothing can be evaluated: run ./dev build"};
  }
  machine = std::move(*described);
  return {"assay-judge", State::available, places.judge.string(), ""};
}

Capability worker(const Places& places) {
  if (::access(places.worker.c_str(), X_OK) != 0) {
    return {"assay-worker", State::missing, places.worker.string() + " cannot be executed",
            "nothing can be evaluated: run ./dev build"};
  }
  return {"assay-worker", State::available, places.worker.string(), ""};
}

Capability memory_sealing() {
  constexpr std::size_t kPage = 4096;
  const auto memory = os::SharedMemory::create("assay-doctor", kPage, os::PeerAccess::read_only);
  if (!memory) {
    return {"sealed memory", State::missing, memory.error().message,
            "inputs cannot be protected from candidates: Linux 5.1 or newer is needed (F_SEAL_FUTURE_WRITE)"};
  }
  return {"sealed memory", State::available, "candidates cannot write to inputs", ""};
}

Capability processor() {
  std::string model = "unknown model";
  if (const auto text = os::read_file("/proc/cpuinfo")) {
    for (const std::string& line : base::split(*text, '\n')) {
      if (line.starts_with("model name") && line.find(':') != std::string::npos) {
        model = base::printable(base::trim(std::string_view(line).substr(line.find(':') + 1)));
        break;
      }
    }
  }
  const unsigned usable = std::thread::hardware_concurrency();
  return {"CPU", State::available, fmt::format("{}, {} usable by this process", model, usable),
          usable >= 2 ? "" : "one CPU: timings and everything else share it"};
}

Capability disk(const os::Path& archive) {
  std::error_code error;
  os::Path place = std::filesystem::absolute(archive, error);
  while (place.has_relative_path() && !std::filesystem::exists(place, error)) {
    place = place.parent_path();
  }
  struct statvfs facts{};
  if (::statvfs(place.c_str(), &facts) != 0) {
    return {"disk", State::missing, fmt::format("{} cannot be examined", place.string()), "choose another --archive"};
  }
  const std::uint64_t free = static_cast<std::uint64_t>(facts.f_bavail) * facts.f_frsize;
  const std::string detail = fmt::format("{} free at {}", base::human_bytes(free), place.string());
  if (::access(place.c_str(), W_OK) != 0) {
    return {"disk", State::missing, place.string() + " is not writable", "choose another --archive"};
  }
  if (free < kNeededBytes) {
    return {"disk", State::missing, detail, "free at least 200 MiB, or choose another --archive"};
  }
  return {"disk", State::available, detail, free < kComfortableBytes ? "enough for small campaigns" : ""};
}

// Makes a real archive in a private folder: that needs SQLite with WAL, locks and atomic renames, all at once.
Capability database() {
  std::error_code error;
  const os::Path parent = std::filesystem::temp_directory_path(error);
  const auto folder = os::TemporaryDirectory::create(error ? os::Path("/tmp") : parent, "assay-doctor-");
  if (!folder) {
    return {"SQLite", State::missing, folder.error().message, "make the folder for temporary files writable ($TMPDIR)"};
  }
  const auto archive = archive::Archive::open_writer(folder->path() / "archive");
  const auto report = archive ? archive->verify() : tl::unexpected(archive.error());
  if (!report) {
    return {"SQLite", State::missing, report.error().message, "no archive can be written on this machine"};
  }
  return {"SQLite", State::available, "an archive was made and verified", ""};
}

Capability dataset_capability(const Context& context) {
  const auto dataset = open_dataset(context);
  if (!dataset) {
    return {"dataset", State::absent, dataset.error().message, "name one with --dataset DIR or $ASSAY_DATASET"};
  }
  return {"dataset", State::available,
          fmt::format("{} ({} definitions)", dataset->root().string(), dataset->definition_names().size()), ""};
}

void add_what_the_judge_says(const base::Json& machine, std::vector<Capability>& found) {
  const auto capabilities = machine.find("capabilities");
  if (capabilities == machine.end() || !capabilities->is_array()) {
    return;
  }
  for (const base::Json& entry : *capabilities) {
    if (!entry.is_object() || !entry.contains("name") || !entry["name"].is_string()) {
      continue;
    }
    const auto text = [&](const char* key) {
      return entry.contains(key) && entry[key].is_string() ? base::printable(entry[key].get<std::string>())
                                                           : std::string();
    };
    const bool available = entry.contains("available") && entry["available"] == true;
    found.push_back({"judge: " + text("name"), available ? State::available : State::absent, text("detail"),
                     available ? std::string() : text("remedy")});
  }
}

}  // namespace

std::string_view to_string(Capability::State state) {
  switch (state) {
    case State::available:
      return "available";
    case State::absent:
      return "absent";
    case State::missing:
      return "missing";
  }
  return "";
}

bool DoctorReport::healthy() const {
  return std::none_of(capabilities.begin(), capabilities.end(),
                      [](const Capability& capability) { return capability.state == State::missing; });
}

DoctorReport examine(const Context& context) {
  DoctorReport report;
  std::vector<Capability>& found = report.capabilities;
  examine_compilers(found);
  base::Json machine = base::Json::object();
  found.push_back(judge(context.places, machine));
  found.push_back(worker(context.places));
  found.push_back(memory_sealing());
  found.push_back(processor());
  found.push_back(disk(context.places.archive));
  found.push_back(database());
  found.push_back(dataset_capability(context));
  add_what_the_judge_says(machine, found);
  return report;
}

base::Json encode(const DoctorReport& report) {
  base::Json json;
  json["healthy"] = report.healthy();
  json["capabilities"] = base::Json::array();
  for (const Capability& capability : report.capabilities) {
    json["capabilities"].push_back({{"name", capability.name},
                                    {"state", to_string(capability.state)},
                                    {"detail", capability.detail},
                                    {"remedy", capability.remedy}});
  }
  return json;
}

}  // namespace assay::service
