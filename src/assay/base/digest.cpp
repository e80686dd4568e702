#include <assay/base/digest.hpp>

#include <openssl/evp.h>

#include <cstdint>

namespace assay::base {

namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

int nibble(char c) {
  const std::size_t at = kDigits.find(c);
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

}  // namespace

Result<Digest> Digest::parse(std::string_view hex) {
  std::array<std::byte, kSize> bytes{};
  if (hex.size() != 2 * kSize) {
    return input_error("digest.length", "a digest has 64 hexadecimal digits, not " + std::to_string(hex.size()));
  }
  for (std::size_t i = 0; i < kSize; ++i) {
    const int high = nibble(hex[2 * i]);
    const int low = nibble(hex[2 * i + 1]);
    if (high < 0 || low < 0) {
      return input_error("digest.digit", "a digest is written in the digits 0-9a-f");
    }
    bytes[i] = static_cast<std::byte>(high * 16 + low);
  }
  return Digest(bytes);
}

std::string Digest::hex() const {
  std::string text;
  text.reserve(2 * kSize);
  for (const std::byte b : bytes_) {
    text += kDigits[std::to_integer<unsigned>(b) >> 4U];
    text += kDigits[std::to_integer<unsigned>(b) & 15U];
  }
  return text;
}

std::string Digest::brief() const { return hex().substr(0, 12); }

struct Sha256::Context {
  EVP_MD_CTX* evp = EVP_MD_CTX_new();
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  ASSAY_CHECK(context_->evp != nullptr);
  ASSAY_CHECK(EVP_DigestInit_ex(context_->evp, EVP_sha256(), nullptr) == 1);
}

Sha256::~Sha256() { EVP_MD_CTX_free(context_->evp); }

void Sha256::update(std::span<const std::byte> bytes) {
  ASSAY_CHECK(EVP_DigestUpdate(context_->evp, bytes.data(), bytes.size()) == 1);
}

void Sha256::update(std::string_view text) { update(std::as_bytes(std::span(text.data(), text.size()))); }

void Sha256::update_framed(std::string_view text) {
  std::array<std::byte, 8> length{};
  for (std::size_t i = 0; i < length.size(); ++i) {
    length[i] = static_cast<std::byte>((static_cast<std::uint64_t>(text.size()) >> (8 * i)) & 0xffU);
  }
  update(length);
  update(text);
}

Digest Sha256::finish() {
  std::array<unsigned char, Digest::kSize> raw{};
  unsigned int size = 0;
  ASSAY_CHECK(EVP_DigestFinal_ex(context_->evp, raw.data(), &size) == 1 && size == Digest::kSize);
  std::array<std::byte, Digest::kSize> bytes{};
  for (std::size_t i = 0; i < raw.size(); ++i) {
    bytes[i] = static_cast<std::byte>(raw[i]);
  }
  return Digest(bytes);
}

Digest sha256(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish();
}

Digest sha256(std::string_view text) { return sha256(std::as_bytes(std::span(text.data(), text.size()))); }

}  // namespace assay::base
