#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <assay/candidate.h>
#include <assay/worker/protocol.hpp>

namespace assay::worker {

/// A mapped memory.
struct Region {
  std::byte* data = nullptr;
  std::size_t size = 0;
};

/// DLTensor views and argument arrays of one call, as the C header has them; owns what the C structures point to.
class CallFrame {
 public:
  /// Returns false if an argument does not fit its memory.
  [[nodiscard]] bool assemble(const Call& call, const Region& inputs, const Region& outputs, DLDevice device,
                              void* stream);
  [[nodiscard]] const assay_call* call() const { return &call_; }

 private:
  [[nodiscard]] bool place(const CallArgument& argument, const Region& inputs, const Region& outputs, std::size_t at);

  std::vector<DLTensor> tensors_;
  std::vector<std::vector<std::int64_t>> shapes_;
  std::vector<std::vector<std::int64_t>> strides_;
  std::vector<assay_argument> arguments_;
  DLDevice device_{kDLCPU, 0};
  assay_call call_{};
};

}  // namespace assay::worker
