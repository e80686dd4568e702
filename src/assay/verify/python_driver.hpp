#pragma once

#include <string_view>

namespace assay::verify {

/// The Python program that runs a definition's reference for PythonReference: it answers requests on descriptor 3 until
/// that is closed. Frames, both ways: two little-endian 64-bit lengths, a JSON header, a payload. See
/// python_driver.cpp.
[[nodiscard]] std::string_view python_driver();

}  // namespace assay::verify
