// Any bytes as a safetensors file: refused with a reason, or read as tensors that cover the data exactly once; and what
// was read can be written and is then read as the same.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/tensor/safetensors.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay;
  const auto file = std::as_bytes(std::span(data, size));
  const auto read = tensor::read_safetensors(file, "input");
  if (!read) {
    ASSAY_CHECK(!read.error().message.empty() && read.error().owner == base::Owner::input);
    return 0;
  }
  std::size_t covered = 0;
  std::vector<tensor::SafetensorsTensor> known;
  for (const tensor::SafetensorsEntry& entry : read->header.tensors) {
    ASSAY_CHECK(entry.begin == covered);
    covered += read->bytes(entry).size();
    const auto view = read->view(entry.name, "input");
    ASSAY_CHECK(view.has_value() == entry.dtype.has_value());
    if (view) {
      ASSAY_CHECK(tensor::byte_size(view->dtype, tensor::element_count(view->shape)) == view->bytes.size());
      known.push_back({entry.name, *entry.dtype, entry.shape});
    }
  }
  ASSAY_CHECK(covered == read->data.size());

  const auto plan = tensor::plan_safetensors(known, read->header.metadata);
  ASSAY_CHECK(plan.has_value());
  std::string written = plan->bytes;
  for (const tensor::SafetensorsEntry& entry : plan->header.tensors) {
    const auto bytes = read->bytes(*read->header.find(entry.name));
    written.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  const auto again = tensor::read_safetensors(std::as_bytes(std::span(written)), "written");
  ASSAY_CHECK(again.has_value() && again->header.tensors.size() == known.size());
  ASSAY_CHECK(again->header.metadata == read->header.metadata);
  return 0;
}
