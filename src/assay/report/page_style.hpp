#pragma once

#include <string>

namespace assay::report {

/// Returns the page's style sheet, the pictures' included. It holds none of < > & so that it is XML as it
/// stands.
[[nodiscard]] std::string page_style();

}  // namespace assay::report
