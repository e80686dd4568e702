#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <assay/base/error.hpp>
#include <assay/task/solution.hpp>

// Normalising twice changes nothing, and never lengthens a source much.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay;
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  const std::string once = task::normalise_source(source);
  ASSAY_CHECK(task::normalise_source(once) == once);
  ASSAY_CHECK(once.size() <= 5 * source.size());
  return 0;
}
