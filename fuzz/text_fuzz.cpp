// Any bytes as the text of a hostile log: what is shown is UTF-8, free of controls, and bounded.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include <assay/base/error.hpp>
#include <assay/base/json.hpp>
#include <assay/base/text.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay::base;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string shown = printable(text);
  ASSAY_CHECK(printable(shown) == shown);
  ASSAY_CHECK(std::none_of(shown.begin(), shown.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
  }));
  // The library checks UTF-8 by itself: nothing is left for it to replace.
  ASSAY_CHECK(parse_json(dump_compact(Json(shown)), "x")->get<std::string>() == shown);

  const std::size_t limit = size / 2;
  const std::string kept = tail(text, limit);
  ASSAY_CHECK(kept.size() <= std::max(size, limit + 64));
  ASSAY_CHECK(escape_markup(text).find_first_of("<>\"'") == std::string::npos);
  ASSAY_CHECK(join(split(text, ','), ",") == text);
  static_cast<void>(nearest(text.substr(0, 100), {"evaluate", "validate", "campaign"}));
  return 0;
}
