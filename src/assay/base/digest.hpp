#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <assay/base/error.hpp>

namespace assay::base {

/// Names content: a SHA-256, because candidates come from authors who may want two contents to share a name.
class Digest {
 public:
  static constexpr std::size_t kSize = 32;

  Digest() = default;
  explicit Digest(const std::array<std::byte, kSize>& bytes) : bytes_(bytes) {}

  /// Parses 64 lowercase hexadecimal digits.
  [[nodiscard]] static Result<Digest> parse(std::string_view hex);

  [[nodiscard]] std::string hex() const;
  /// Returns the first 12 digits: what people see; never a key.
  [[nodiscard]] std::string brief() const;
  [[nodiscard]] const std::array<std::byte, kSize>& bytes() const { return bytes_; }

  auto operator<=>(const Digest&) const = default;

 private:
  std::array<std::byte, kSize> bytes_{};
};

/// Computes a SHA-256 in pieces. Each piece can be framed by its length, so that ("ab","c") and ("a","bc") differ.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void update(std::span<const std::byte> bytes);
  void update(std::string_view text);
  /// Feeds the length as eight little-endian bytes, then the text.
  void update_framed(std::string_view text);
  /// Returns the digest; the object must not be used afterwards.
  [[nodiscard]] Digest finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

[[nodiscard]] Digest sha256(std::span<const std::byte> bytes);
[[nodiscard]] Digest sha256(std::string_view text);

}  // namespace assay::base
