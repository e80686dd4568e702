// Any bytes as one file of a bundle that is otherwise as a judge leaves it: read whole, or refused with a reason.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <assay/archive/bundle.hpp>
#include <assay/base/error.hpp>
#include <assay/task/bundle.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay;
  if (size == 0) {
    return 0;
  }
  const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
  if (const auto manifest = archive::decode_manifest(text, "input")) {
    for (const archive::ManifestEntry& entry : *manifest) {
      ASSAY_CHECK(!entry.name.empty() && entry.name.find('/') == std::string::npos && entry.name != "..");
    }
  } else {
    ASSAY_CHECK(!manifest.error().message.empty());
  }
  // The first byte chooses which of the files that decode_contents reads holds the bytes, or all of them.
  constexpr std::string_view kNames[] = {"request.json", "evaluation.json", "samples.json", "error.json"};
  archive::Bundle bundle;
  bundle.source = "input";
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if (data[0] % 5 == 4 || data[0] % 5 == i) {
      bundle.files.push_back({std::string(kNames[i]), text, base::sha256(text)});
    }
  }
  const auto contents = archive::decode_contents(bundle);
  ASSAY_CHECK(contents.has_value() || !contents.error().message.empty());
  const auto error = archive::judge_error(bundle);
  ASSAY_CHECK(error.has_value() || !error.error().message.empty());
  return 0;
}
