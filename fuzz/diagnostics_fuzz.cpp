// Any bytes as a compiler's log, which a candidate can write into: what is read of it is bounded and makes sense.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <assay/base/error.hpp>
#include <assay/build/diagnostics.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay;
  const std::string_view log(reinterpret_cast<const char*>(data), size);
  const build::Diagnostics found = build::parse_diagnostics(log);
  ASSAY_CHECK(found.messages.size() <= build::kMostMessages && found.kernels.size() <= build::kMostKernels);
  std::size_t bytes = 0;
  for (const build::Diagnostic& message : found.messages) {
    ASSAY_CHECK(!message.message.empty() && message.line >= 0 && message.column >= 0);
    ASSAY_CHECK(message.message.find('\n') == std::string::npos && message.file.find('\n') == std::string::npos);
    bytes += message.message.size() + message.file.size();
  }
  for (const task::KernelResources& kernel : found.kernels) {
    ASSAY_CHECK(!kernel.symbol.empty() && kernel.name == kernel.symbol && !kernel.architecture.empty());
    const auto all = {kernel.registers,        kernel.barriers,     kernel.stack_bytes,   kernel.spill_store_bytes,
                      kernel.spill_load_bytes, kernel.shared_bytes, kernel.constant_bytes};
    ASSAY_CHECK(std::all_of(all.begin(), all.end(), [](std::int64_t value) { return value >= 0; }));
    bytes += kernel.symbol.size() + kernel.architecture.size();
  }
  ASSAY_CHECK(bytes <= size + 2 * found.messages.size() + size);  // Nothing is read twice but a context's "; ".
  return 0;
}
