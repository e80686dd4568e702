#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace assay::worker {

/// Appends little-endian fields to a buffer.
class WireWriter {
 public:
  template <class T>
  void number(T value) {
    static_assert(std::is_integral_v<T> && std::endian::native == std::endian::little);
    const auto* raw = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), raw, raw + sizeof(T));
  }
  void real(double value) { number(std::bit_cast<std::uint64_t>(value)); }
  void text(const std::string& value) {
    const auto* raw = reinterpret_cast<const std::byte*>(value.data());
    bytes_.insert(bytes_.end(), raw, raw + value.size());
  }
  [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

/// Takes little-endian fields from the front of a buffer. After a read past the end `ok()` is false for good and every
/// read gives zero; `finished()` says that all went well and nothing is left over.
class WireReader {
 public:
  explicit WireReader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  template <class T>
  [[nodiscard]] T number() {
    static_assert(std::is_integral_v<T> && std::endian::native == std::endian::little);
    T value{};
    if (bytes_.size() < sizeof(T)) {
      ok_ = false;
      return value;
    }
    std::memcpy(&value, bytes_.data(), sizeof(T));
    bytes_ = bytes_.subspan(sizeof(T));
    return value;
  }
  [[nodiscard]] double real() { return std::bit_cast<double>(number<std::uint64_t>()); }
  /// Takes so many bytes; fewer are left: none.
  [[nodiscard]] std::string text(std::size_t size) {
    if (bytes_.size() < size) {
      ok_ = false;
      return {};
    }
    std::string value(reinterpret_cast<const char*>(bytes_.data()), size);
    bytes_ = bytes_.subspan(size);
    return value;
  }
  [[nodiscard]] std::string rest() {
    std::string value(reinterpret_cast<const char*>(bytes_.data()), bytes_.size());
    bytes_ = {};
    return value;
  }
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool finished() const { return ok_ && bytes_.empty(); }

 private:
  std::span<const std::byte> bytes_;
  bool ok_ = true;
};

}  // namespace assay::worker
