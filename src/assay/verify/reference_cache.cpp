#include <assay/verify/reference_cache.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>

namespace assay::verify {
namespace {

// The format is private to this file: magic with version, number of outputs, their sizes, their values, a digest of all
// of that and the key. A file of another version is no entry.
constexpr std::string_view kMagic = "ASSAYREFERENCE1\n";
constexpr std::size_t kMostOutputs = 1024;
constexpr std::chrono::hours kOldTemporary(1);

base::Digest seal(std::string_view content, const base::Digest& key) {
  base::Sha256 hash;
  hash.update_framed(content);
  hash.update(key.bytes());
  return hash.finish();
}

void append(std::string& text, const void* bytes, std::size_t size) {
  text.append(static_cast<const char*>(bytes), size);
}

std::uint64_t read_number(std::string_view text, std::size_t at) {
  std::uint64_t number = 0;
  std::memcpy(&number, text.data() + at, sizeof number);
  return number;
}

std::string encode(const base::Digest& key, std::span<const operators::ExpectedValues> outputs) {
  std::string content(kMagic);
  const std::uint64_t count = outputs.size();
  append(content, &count, sizeof count);
  for (const operators::ExpectedValues& values : outputs) {
    const std::uint64_t size = values.size();
    append(content, &size, sizeof size);
  }
  for (const operators::ExpectedValues& values : outputs) {
    append(content, values.data(), values.size() * sizeof(double));
  }
  const base::Digest digest = seal(content, key);
  append(content, digest.bytes().data(), base::Digest::kSize);
  return content;
}

std::optional<std::vector<operators::ExpectedValues>> decode(const base::Digest& key, std::string_view text) {
  constexpr std::size_t kNumber = sizeof(std::uint64_t);
  if (text.size() < kMagic.size() + kNumber + base::Digest::kSize || !text.starts_with(kMagic)) {
    return std::nullopt;
  }
  const std::string_view content = text.substr(0, text.size() - base::Digest::kSize);
  const base::Digest digest = seal(content, key);
  if (std::memcmp(digest.bytes().data(), text.data() + content.size(), base::Digest::kSize) != 0) {
    return std::nullopt;
  }
  // Sealed, hence as it was written.
  std::size_t at = kMagic.size() + kNumber;
  const std::uint64_t count = read_number(content, kMagic.size());
  if (count > kMostOutputs || content.size() < at + count * kNumber) {
    return std::nullopt;
  }
  std::vector<operators::ExpectedValues> outputs(count);
  std::size_t values_at = at + count * kNumber;
  for (operators::ExpectedValues& values : outputs) {
    values.resize(read_number(content, at));
    at += kNumber;
    const std::size_t bytes = values.size() * sizeof(double);
    if (values_at + bytes > content.size()) {
      return std::nullopt;
    }
    if (bytes > 0) {
      std::memcpy(values.data(), content.data() + values_at, bytes);
    }
    values_at += bytes;
  }
  return outputs;
}

}  // namespace

ReferenceCache::ReferenceCache(os::Path folder, std::uint64_t limit_bytes)
    : folder_(std::move(folder)), limit_bytes_(limit_bytes) {}

std::optional<std::vector<operators::ExpectedValues>> ReferenceCache::load(const base::Digest& key) const {
  const os::Path path = folder_ / key.hex();
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    return std::nullopt;
  }
  const base::Result<std::string> text = os::read_file(path, limit_bytes_);
  std::optional<std::vector<operators::ExpectedValues>> outputs = text ? decode(key, *text) : std::nullopt;
  if (!outputs) {
    std::filesystem::remove(path, ignored);
    return std::nullopt;
  }
  std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now(), ignored);
  return outputs;
}

base::Result<void> ReferenceCache::store(const base::Digest& key,
                                         std::span<const operators::ExpectedValues> outputs) const {
  const std::string content = encode(key, outputs);
  if (content.size() > limit_bytes_) {
    return {};
  }
  ASSAY_TRY(os::create_directories(folder_));
  ASSAY_TRY(os::write_file_atomic(folder_ / key.hex(), content));
  return trim();
}

base::Result<void> ReferenceCache::trim() const {
  struct Entry {
    std::filesystem::file_time_type used;
    std::uint64_t bytes = 0;
    os::Path path;
  };
  ASSAY_TRY_ASSIGN(const std::vector<std::string> names, os::list_directory(folder_));
  std::vector<Entry> entries;
  std::uint64_t total = 0;
  const auto now = std::filesystem::file_time_type::clock::now();
  for (const std::string& name : names) {
    Entry entry;
    entry.path = folder_ / name;
    std::error_code error;
    entry.used = std::filesystem::last_write_time(entry.path, error);
    entry.bytes = error ? 0 : std::filesystem::file_size(entry.path, error);
    if (error) {
      continue;  // Another process removed it.
    }
    if (os::is_temporary_name(name)) {
      if (entry.used < now - kOldTemporary) {
        std::filesystem::remove(entry.path, error);  // Of a process that was killed.
      }
      continue;
    }
    total += entry.bytes;
    entries.push_back(std::move(entry));
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (total <= limit_bytes_) {
      break;
    }
    std::error_code ignored;
    std::filesystem::remove(entry.path, ignored);
    total -= entry.bytes;
  }
  return {};
}

}  // namespace assay::verify
