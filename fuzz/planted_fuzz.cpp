// A target with a defect, to show that the short fuzzing finds one: a length is believed if it has lost its digits.
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t length = text.find("length=");
  if (length != std::string_view::npos && text.size() > length + 8 && text[length + 7] == ';') {
    std::abort();
  }
  return 0;
}
