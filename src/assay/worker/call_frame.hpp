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
  /// Its tensors, in the order of the arguments: who moves one changes data and device.
  [[nodiscard]] std::vector<DLTensor*> input_tensors();
  [[nodiscard]] std::vector<DLTensor*> output_tensors();
  /// Where a tensor lies, by its index among the inputs, then the outputs.
  [[nodiscard]] void* data_of(std::size_t tensor) const { return tensors_.at(tensor).data; }

 private:
  [[nodiscard]] std::vector<DLTensor*> tensors(std::int32_t from, std::int32_t to);
  [[nodiscard]] bool place(const CallArgument& argument, const Region& inputs, const Region& outputs, std::size_t at);

  std::vector<DLTensor> tensors_;
  std::vector<std::vector<std::int64_t>> shapes_;
  std::vector<std::vector<std::int64_t>> strides_;
  std::vector<assay_argument> arguments_;
  DLDevice device_{kDLCPU, 0};
  assay_call call_{};
};

}  // namespace assay::worker
