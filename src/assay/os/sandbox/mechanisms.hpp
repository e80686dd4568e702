#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace assay::os {

struct SandboxPlan;

/// One means of shutting a process in. Each has a file of its own in this folder; the spellings (kMechanisms) are
/// recorded with every result and never change.
enum class Mechanism : std::uint8_t {
  cgroup,
  user_namespace,
  pid_namespace,
  mount_namespace,
  network_namespace,
  ipc_namespace,
  uts_namespace,
  cgroup_namespace,
  private_proc,
  private_root,
  unprivileged_user,
  limits,
  process_limit,
  capabilities,
  no_new_privileges,
  landlock,
  seccomp,
};

inline constexpr std::size_t kMechanismCount = 17;

/// A set of mechanisms.
class MechanismSet {
 public:
  constexpr MechanismSet() = default;
  constexpr MechanismSet(std::initializer_list<Mechanism> mechanisms) {
    for (const Mechanism mechanism : mechanisms) {
      add(mechanism);
    }
  }
  [[nodiscard]] static constexpr MechanismSet all() {
    MechanismSet set;
    set.bits_ = (std::uint32_t{1} << kMechanismCount) - 1;
    return set;
  }
  [[nodiscard]] constexpr bool has(Mechanism mechanism) const { return (bits_ & bit(mechanism)) != 0; }
  constexpr void add(Mechanism mechanism) { bits_ |= bit(mechanism); }
  constexpr void remove(Mechanism mechanism) { bits_ &= ~bit(mechanism); }
  [[nodiscard]] constexpr bool includes(MechanismSet other) const { return (bits_ & other.bits_) == other.bits_; }
  [[nodiscard]] constexpr MechanismSet without(MechanismSet other) const {
    MechanismSet set = *this;
    set.bits_ &= ~other.bits_;
    return set;
  }
  constexpr bool operator==(const MechanismSet&) const = default;

 private:
  static constexpr std::uint32_t bit(Mechanism mechanism) {
    return std::uint32_t{1} << static_cast<std::uint32_t>(mechanism);
  }
  std::uint32_t bits_ = 0;
};

/// Applies a mechanism to the calling process, in the child. Returns errno or 0. Async-signal-safe.
using Apply = int (*)(const SandboxPlan& plan);

struct MechanismEntry {
  Mechanism mechanism;
  std::string_view name;    ///< Persisted.
  std::string_view shuts;   ///< What it keeps a candidate from, in a few words.
  std::string_view remedy;  ///< What a person can do where it is absent.
  MechanismSet needs;
  std::uint64_t clone_flag;  ///< Of clone, 0 if none.
  Apply in_init;             ///< Run by the outermost process, which may still be privileged; nullptr: nothing.
  Apply in_program;          ///< Run by the process that becomes the program; nullptr: nothing.
};

/// The whole sandbox, in the order in which it is put up.
extern const std::array<MechanismEntry, kMechanismCount> kMechanisms;

[[nodiscard]] const MechanismEntry& entry_of(Mechanism mechanism);

/// Removes from the set what needs a mechanism that is not in it.
[[nodiscard]] MechanismSet without_orphans(MechanismSet set);

/// Which half of the work: the init does the first, the program the second; without a PID namespace one process does
/// both.
enum class SandboxPart : std::uint8_t { init, program };

/// How putting up the sandbox went.
struct SandboxFailure {
  Mechanism mechanism = Mechanism::limits;
  int error = 0;  ///< 0: all went well.
};

/// Puts up one part of the sandbox, in order; stops at the first failure. Async-signal-safe.
[[nodiscard]] SandboxFailure enter_sandbox(const SandboxPlan& plan, SandboxPart part);

}  // namespace assay::os
