#pragma once

#include <linux/filter.h>

#include <cstdint>
#include <vector>

namespace assay::os {

/// Puts together a seccomp filter: a list of rules on system calls, the first that fits decides, and what fits none is
/// allowed. A call of another architecture than this program's kills the process.
class FilterBuilder {
 public:
  /// Fails the call with this errno.
  void refuse(long system_call, int error);
  /// Fails the call where an argument (0 to 5), its low 32 bits, has any of these bits set.
  void refuse_if_bits(long system_call, unsigned argument, std::uint32_t bits, int error);
  /// Fails the call where an argument's low 32 bits are this value.
  void refuse_if_equal(long system_call, unsigned argument, std::uint32_t value, int error);
  /// Fails the call unless an argument's low 32 bits are this value.
  void refuse_unless(long system_call, unsigned argument, std::uint32_t value, int error);

  /// Returns the program.
  [[nodiscard]] std::vector<sock_filter> build() const;

 private:
  std::vector<sock_filter> body_;
};

/// What a filter answers to one system call, worked out here instead of by the kernel: for tests and explanation.
/// Returns the SECCOMP_RET_… value. Knows the instructions that FilterBuilder makes, and checks that no jump leaves the
/// program.
[[nodiscard]] std::uint32_t run_filter(const std::vector<sock_filter>& program, std::uint32_t architecture,
                                       std::int32_t system_call, const std::vector<std::uint64_t>& arguments);

/// The AUDIT_ARCH_… of this program.
[[nodiscard]] std::uint32_t this_architecture();

}  // namespace assay::os
