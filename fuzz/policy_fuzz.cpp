// Any bytes as a policy file: refused with a reason, or a policy that is stored, read again and explained.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include <assay/base/error.hpp>
#include <assay/base/json.hpp>
#include <assay/promote/policy.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay;
  const auto policy = promote::parse_policy(std::string_view(reinterpret_cast<const char*>(data), size), "input");
  if (!policy) {
    ASSAY_CHECK(!policy.error().message.empty());
    return 0;
  }
  const auto stored = promote::encode(*policy);
  const auto again = promote::decode_policy(stored, "stored");
  ASSAY_CHECK(again.has_value());
  ASSAY_CHECK(base::dump_compact(promote::encode(*again)) == base::dump_compact(stored));
  ASSAY_CHECK(!promote::explain(*policy).empty());
  return 0;
}
