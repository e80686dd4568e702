#include <assay/os/sandbox/bpf.hpp>

#include <linux/audit.h>
#include <linux/seccomp.h>

#include <cstddef>

#include <assay/base/error.hpp>

namespace assay::os {
namespace {

constexpr std::uint16_t kLoad = BPF_LD | BPF_W | BPF_ABS;
constexpr std::uint16_t kJumpEqual = BPF_JMP | BPF_JEQ | BPF_K;
constexpr std::uint16_t kJumpAtLeast = BPF_JMP | BPF_JGE | BPF_K;
constexpr std::uint16_t kJumpBits = BPF_JMP | BPF_JSET | BPF_K;
constexpr std::uint16_t kReturn = BPF_RET | BPF_K;
constexpr std::uint32_t kNumberOffset = offsetof(seccomp_data, nr);
constexpr std::uint32_t kArchitectureOffset = offsetof(seccomp_data, arch);

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
constexpr std::uint32_t kX32 = 0x40000000;  // The other ABI of the same architecture has this bit in its numbers.
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
constexpr std::uint32_t kX32 = 0;
#else
#error "name this architecture's AUDIT_ARCH"
#endif

constexpr sock_filter statement(std::uint16_t code, std::uint32_t value) { return {code, 0, 0, value}; }

constexpr sock_filter jump(std::uint16_t code, std::uint32_t value, std::uint8_t if_true, std::uint8_t if_false) {
  return {code, if_true, if_false, value};
}

constexpr std::uint32_t low_word(unsigned argument) {
  static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
  return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + 8 * static_cast<std::size_t>(argument));
}

std::uint32_t failing(int error) { return SECCOMP_RET_ERRNO | (static_cast<std::uint32_t>(error) & SECCOMP_RET_DATA); }

}  // namespace

// Each rule starts and ends with the number of the system call loaded.
void FilterBuilder::refuse(long system_call, int error) {
  body_.push_back(jump(kJumpEqual, static_cast<std::uint32_t>(system_call), 0, 1));
  body_.push_back(statement(kReturn, failing(error)));
}

void FilterBuilder::refuse_if_bits(long system_call, unsigned argument, std::uint32_t bits, int error) {
  body_.push_back(jump(kJumpEqual, static_cast<std::uint32_t>(system_call), 0, 4));
  body_.push_back(statement(kLoad, low_word(argument)));
  body_.push_back(jump(kJumpBits, bits, 0, 1));
  body_.push_back(statement(kReturn, failing(error)));
  body_.push_back(statement(kLoad, kNumberOffset));
}

void FilterBuilder::refuse_if_equal(long system_call, unsigned argument, std::uint32_t value, int error) {
  body_.push_back(jump(kJumpEqual, static_cast<std::uint32_t>(system_call), 0, 4));
  body_.push_back(statement(kLoad, low_word(argument)));
  body_.push_back(jump(kJumpEqual, value, 0, 1));
  body_.push_back(statement(kReturn, failing(error)));
  body_.push_back(statement(kLoad, kNumberOffset));
}

void FilterBuilder::refuse_unless(long system_call, unsigned argument, std::uint32_t value, int error) {
  body_.push_back(jump(kJumpEqual, static_cast<std::uint32_t>(system_call), 0, 4));
  body_.push_back(statement(kLoad, low_word(argument)));
  body_.push_back(jump(kJumpEqual, value, 1, 0));
  body_.push_back(statement(kReturn, failing(error)));
  body_.push_back(statement(kLoad, kNumberOffset));
}

std::vector<sock_filter> FilterBuilder::build() const {
  std::vector<sock_filter> program = {
      statement(kLoad, kArchitectureOffset),
      jump(kJumpEqual, kArchitecture, 1, 0),
      statement(kReturn, SECCOMP_RET_KILL_PROCESS),
      statement(kLoad, kNumberOffset),
  };
  if (kX32 != 0) {
    program.push_back(jump(kJumpAtLeast, kX32, 0, 1));
    program.push_back(statement(kReturn, SECCOMP_RET_KILL_PROCESS));
  }
  program.insert(program.end(), body_.begin(), body_.end());
  program.push_back(statement(kReturn, SECCOMP_RET_ALLOW));
  return program;
}

std::uint32_t this_architecture() { return kArchitecture; }

std::uint32_t run_filter(const std::vector<sock_filter>& program, std::uint32_t architecture, std::int32_t system_call,
                         const std::vector<std::uint64_t>& arguments) {
  const auto load = [&](std::uint32_t offset) -> std::uint32_t {
    if (offset == kNumberOffset) {
      return static_cast<std::uint32_t>(system_call);
    }
    if (offset == kArchitectureOffset) {
      return architecture;
    }
    const std::size_t argument = (offset - offsetof(seccomp_data, args)) / 8;
    return argument < arguments.size() ? static_cast<std::uint32_t>(arguments[argument]) : 0;
  };
  std::uint32_t accumulator = 0;
  std::size_t at = 0;
  while (true) {
    ASSAY_CHECK(at < program.size());
    const sock_filter& step = program[at];
    ++at;
    const auto branch = [&](bool condition) { at += condition ? step.jt : step.jf; };
    switch (step.code) {
      case kLoad:
        accumulator = load(step.k);
        break;
      case kJumpEqual:
        branch(accumulator == step.k);
        break;
      case kJumpAtLeast:
        branch(accumulator >= step.k);
        break;
      case kJumpBits:
        branch((accumulator & step.k) != 0);
        break;
      case kReturn:
        return step.k;
      default:
        base::check_failed("an instruction that FilterBuilder makes", __FILE__, __LINE__);
    }
  }
}

}  // namespace assay::os
