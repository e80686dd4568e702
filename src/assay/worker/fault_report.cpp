#include <assay/worker/fault_report.hpp>

#include <signal.h>
#include <sys/socket.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>

namespace assay::worker {

namespace {

struct MappedMemory {
  std::uintptr_t start = 0;
  std::size_t size = 0;
  std::size_t guard = 0;
};

// Read by signal handlers: plain data, written only between commands.
struct FaultContext {
  std::atomic<std::uint32_t> sequence{0};
  std::atomic<std::uint64_t> nonce{0};
  std::array<MappedMemory, 3> memories{};
};

FaultContext context;
std::array<std::byte, std::size_t{64} * 1024> alternate_stack;

bool is_write(const void* raw_context) {
#if defined(__x86_64__)
  const auto* machine = static_cast<const ucontext_t*>(raw_context);
  return (machine->uc_mcontext.gregs[REG_ERR] & 2) != 0;  // bit 1 of the page-fault error code
#else
  static_cast<void>(raw_context);
  return false;
#endif
}

void report(int signal_number, siginfo_t* info, void* raw_context) {
  Fault fault;
  fault.signal = static_cast<std::uint32_t>(signal_number);
  if (signal_number == SIGSEGV || signal_number == SIGBUS) {
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    fault.address = address;
    fault.write = is_write(raw_context);
    for (const Memory memory : {Memory::inputs, Memory::outputs}) {
      const MappedMemory& mapped = context.memories[static_cast<std::size_t>(memory)];
      if (mapped.size != 0 && address >= mapped.start - mapped.guard &&
          address < mapped.start + mapped.size + mapped.guard) {
        fault.memory = memory;
        fault.offset = static_cast<std::int64_t>(address) - static_cast<std::int64_t>(mapped.start);
      }
    }
  }
  std::array<std::byte, kHeaderSize + kFaultSize> frame{};
  const Header header{static_cast<std::uint16_t>(static_cast<std::uint16_t>(Kind::fault) | kReplyBit), kFaultSize,
                      context.sequence.load(), context.nonce.load()};
  encode_header(header, std::span<std::byte, kHeaderSize>(frame.data(), kHeaderSize));
  encode_fault(fault, std::span<std::byte, kFaultSize>(frame.data() + kHeaderSize, kFaultSize));
  static_cast<void>(send(kSocketDescriptor, frame.data(), frame.size(), MSG_NOSIGNAL));
  // SA_RESETHAND restored the default action: the signal ends the process when this handler returns to it.
  static_cast<void>(raise(signal_number));
}

}  // namespace

void install_fault_handlers() {
  stack_t stack{};
  stack.ss_sp = alternate_stack.data();  // a stack overflow leaves no other place to run
  stack.ss_size = alternate_stack.size();
  sigaltstack(&stack, nullptr);
  struct sigaction action{};
  action.sa_sigaction = report;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    sigaction(number, &action, nullptr);
  }
  // Logs are limited by RLIMIT_FSIZE; a candidate that logs too much loses the rest, not its life.
  static_cast<void>(std::signal(SIGXFSZ, SIG_IGN));
}

void announce_command(std::uint32_t sequence, std::uint64_t nonce) {
  context.sequence.store(sequence);
  context.nonce.store(nonce);
}

void announce_memory(Memory memory, const std::byte* start, std::size_t size, std::size_t guard) {
  context.memories[static_cast<std::size_t>(memory)] = {reinterpret_cast<std::uintptr_t>(start), size, guard};
}

}  // namespace assay::worker
