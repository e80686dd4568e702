// Any bytes as what a compiler left, which a candidate has a hand in: reading stays inside the file and is bounded, and what
// is digested does not depend on what lies behind it.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <assay/base/error.hpp>
#include <assay/build/code_digest.hpp>
#include <assay/build/elf_image.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const std::string longer = bytes + std::string(64, 'x');
  if (const auto digest = build::loaded_image_digest(bytes)) {
    ASSAY_CHECK(build::loaded_image_digest(longer) == digest);
  }
  if (const auto digest = build::device_code_digest(bytes)) {
    ASSAY_CHECK(build::device_code_digest(longer) == digest);
  }
  static_cast<void>(build::ptx_digest(bytes));
  if (const auto image = build::ElfImage::parse(bytes, build::ElfImage::Read::sections)) {
    ASSAY_CHECK(image->segments.size() <= build::ElfImage::kMostSegments);
    std::size_t total = 0;
    for (const build::ElfSection& section : image->sections) {
      ASSAY_CHECK(section.content.empty() || (section.content.data() >= bytes.data() &&
                                              section.content.data() + section.content.size() <= bytes.data() + size));
      total += section.content.size() + section.name.size();
    }
    ASSAY_CHECK(total <= build::ElfImage::kMostOverlap * size);
  }
  return 0;
}
