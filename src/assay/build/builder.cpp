#include <assay/build/builder.hpp>

#include <fmt/core.h>

#include <algorithm>

#include <assay/base/text.hpp>
#include <assay/build/cache_entry.hpp>
#include <assay/os/process.hpp>

namespace assay::build {

namespace {

constexpr std::size_t kLogLimit = std::size_t{1} << 20U;
constexpr std::uint64_t kObjectLimit = std::uint64_t{256} << 20U;
constexpr std::uint64_t kCompilerMemory = std::uint64_t{4} << 30U;

enum class SourceKind : std::uint8_t { c, cxx, header };

base::Result<SourceKind> kind_of(const std::string& path) {
  const std::string extension = os::Path(path).extension().string();
  if (extension == ".c") {
    return SourceKind::c;
  }
  if (extension == ".cpp" || extension == ".cc" || extension == ".cxx") {
    return SourceKind::cxx;
  }
  if (extension == ".h" || extension == ".hpp" || extension == ".inc") {
    return SourceKind::header;
  }
  return base::input_error("build.source",
                           fmt::format("{}: a source of a C++ solution ends in .c .cpp .cc .cxx .h .hpp "
                                       "or .inc",
                                       path));
}

std::vector<std::string> parameter_flags(const task::Solution& solution) {
  std::vector<std::string> flags;
  for (const auto& [name, value] : solution.parameters) {
    flags.push_back(fmt::format("-D{}={}", name, value));
  }
  std::sort(flags.begin(), flags.end());
  return flags;
}

// The command without the compiler's path and the include folder, which differ between machines.
base::Result<std::vector<std::string>> arguments(const task::Solution& solution) {
  std::vector<std::string> list = host_flags();
  for (std::string& flag : parameter_flags(solution)) {
    list.push_back(std::move(flag));
  }
  for (const task::SourceFile& source : solution.sources) {
    ASSAY_TRY_ASSIGN(const SourceKind kind, kind_of(source.path));
    if (kind == SourceKind::header) {
      continue;
    }
    list.insert(list.end(), {"-x", kind == SourceKind::c ? "c" : "c++", source.path});
  }
  return list;
}

}  // namespace

std::string exported_symbol(const task::Solution& solution) { return "assay_kernel_" + solution.entry_symbol(); }

Builder::Builder(os::Path cache, os::Path include, Toolchain toolchain, std::string machine)
    : cache_(std::move(cache)),
      include_(std::move(include)),
      toolchain_(std::move(toolchain)),
      machine_(std::move(machine)) {}

base::Result<base::Digest> Builder::key(const task::Solution& solution) const {
  ASSAY_TRY_ASSIGN(const std::vector<std::string> list, arguments(solution));
  base::Sha256 hash;
  hash.update_framed("assay build 1");
  hash.update_framed(task::identify(solution).content.hex());
  hash.update_framed(toolchain_.version);
  hash.update_framed(machine_);
  for (const std::string& argument : list) {
    hash.update_framed(argument);
  }
  for (const char* header : {"assay/candidate.h", "dlpack/dlpack.h"}) {
    ASSAY_TRY_ASSIGN(const std::string content, os::read_file(include_ / header));
    hash.update_framed(content);
  }
  return hash.finish();
}

base::Result<BuildResult> Builder::build(const task::Solution& solution, std::chrono::milliseconds limit) const {
  if (solution.spec.language != task::Language::cpp) {
    return base::input_error("build.language", fmt::format("solution '{}' is in {}: the device 'cpu' takes C and C++ "
                                                           "(/spec/language \"cpp\")",
                                                           solution.name, task::to_string(solution.spec.language)));
  }
  ASSAY_TRY_ASSIGN(const base::Digest name, key(solution));
  const os::Path folder = cache_ / "builds" / name.hex();
  if (std::optional<BuildResult> cached = load_entry(folder)) {
    return std::move(*cached);
  }
  ASSAY_TRY_ASSIGN(BuildResult result, compile(solution, limit));
  if (!result.timed_out) {
    ASSAY_TRY(store_entry(folder, result));
  }
  return result;
}

base::Result<BuildResult> Builder::compile(const task::Solution& solution, std::chrono::milliseconds limit) const {
  ASSAY_TRY(os::create_directories(cache_));
  ASSAY_TRY_ASSIGN(const os::TemporaryDirectory folder, os::TemporaryDirectory::create(cache_, "compile-"));
  for (const task::SourceFile& source : solution.sources) {
    const os::Path path = folder.path() / source.path;
    ASSAY_TRY(os::create_directories(path.parent_path()));
    ASSAY_TRY(os::write_file_atomic(path, source.content));
  }

  BuildResult result;
  ASSAY_TRY_ASSIGN(const std::vector<std::string> list, arguments(solution));
  os::ProcessOptions options;
  options.argv = {toolchain_.compiler.string()};
  options.argv.insert(options.argv.end(), {"-I", include_.string(), "-I", ".", "-o", "object.so"});
  options.argv.insert(options.argv.end(), list.begin(), list.end());
  options.environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}, {"LC_ALL", "C"}, {"TMPDIR", folder.path().string()}};
  options.working_directory = folder.path();
  options.limits.address_space_bytes = kCompilerMemory;
  options.limits.file_size_bytes = kObjectLimit;
  ASSAY_TRY_ASSIGN(const os::CommandResult command, os::run_command(options, limit, kLogLimit));

  result.record.toolchain = toolchain_.name;
  result.record.command = {toolchain_.compiler.filename().string()};
  result.record.command.insert(result.record.command.end(), list.begin(), list.end());
  result.record.seconds = std::chrono::duration<double>(command.wall).count();
  result.log = base::printable(command.output);
  result.timed_out = command.timed_out;
  if (command.timed_out) {
    result.log += fmt::format("\nassay: the build was stopped after {}\n", base::human(limit));
    return result;
  }
  if (!command.status.success()) {
    if (command.status.signalled) {
      result.log += fmt::format("\nassay: the compiler was {}\n", command.status.text());
    }
    return result;
  }
  ASSAY_TRY_ASSIGN(result.object, os::read_file(folder.path() / "object.so", kObjectLimit));
  result.record.built = true;
  result.record.object_sha256 = base::sha256(result.object).hex();
  return result;
}

}  // namespace assay::build
