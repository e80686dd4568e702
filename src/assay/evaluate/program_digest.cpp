#include <assay/evaluate/program_digest.hpp>

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <assay/base/text.hpp>

namespace assay::evaluate {

namespace {

using std::chrono::nanoseconds;

// How coarse the times of a file system can be: FAT's are even seconds.
constexpr std::chrono::seconds kCoarsest{2};

struct FileState {
  std::string words;  ///< Two files, or one at two times, with equal words have the same bytes.
  nanoseconds changed{};
};

nanoseconds time_of(const timespec& time) { return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec); }

base::Result<FileState> state_of(const os::Path& file) {
  struct stat found{};
  if (::stat(file.c_str(), &found) != 0) {
    return base::environment_error("program.unreadable", fmt::format("{}: {}", file.string(), std::strerror(errno)));
  }
  FileState state;
  state.changed = std::max(time_of(found.st_mtim), time_of(found.st_ctim));
  state.words = fmt::format("device {} inode {} size {} modified {} changed {}", found.st_dev, found.st_ino,
                            found.st_size, time_of(found.st_mtim).count(), time_of(found.st_ctim).count());
  return state;
}

bool is_settled(const FileState& state) {
  return std::chrono::system_clock::now().time_since_epoch() - state.changed > kCoarsest;
}

// Nothing if the file is not there, or is not whole, or tells of another state: then the program is read.
std::optional<base::Digest> read_kept(const os::Path& file, const FileState& state) {
  const auto text = os::read_file(file);
  const std::vector<std::string> lines = base::split(text ? *text : "", '\n');
  if (lines.size() != 3 || lines[0] != state.words || !lines[2].empty()) {
    return std::nullopt;
  }
  const auto digest = base::Digest::parse(lines[1]);
  return digest ? std::optional(*digest) : std::nullopt;
}

}  // namespace

base::Result<base::Digest> program_digest(const os::Path& file, const os::Path& cache) {
  ASSAY_TRY_ASSIGN(const FileState before, state_of(file));
  const os::Path folder = cache / "programs";
  const os::Path kept = folder / base::sha256(before.words).hex();
  if (!cache.empty()) {
    if (const std::optional<base::Digest> digest = read_kept(kept, before)) {
      return *digest;
    }
  }
  ASSAY_TRY_ASSIGN(const std::string bytes, os::read_file(file));
  const base::Digest digest = base::sha256(bytes);
  ASSAY_TRY_ASSIGN(const FileState after, state_of(file));
  if (!cache.empty() && before.words == after.words && is_settled(after)) {
    ASSAY_TRY(os::create_directories(folder));
    ASSAY_TRY(os::write_file_atomic(kept, fmt::format("{}\n{}\n", after.words, digest.hex())));
  }
  return digest;
}

}  // namespace assay::evaluate
