#pragma once

#include <utility>

#include <assay/base/error.hpp>

namespace assay::os {

/// Owns a file descriptor and closes it. Every descriptor that we open has O_CLOEXEC.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  ~Fd() { reset(); }
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool valid() const { return fd_ >= 0; }
  [[nodiscard]] int release() { return std::exchange(fd_, -1); }
  void reset();
  [[nodiscard]] base::Result<Fd> duplicate() const;

 private:
  int fd_ = -1;
};

}  // namespace assay::os
