#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::task {

/// A map that keeps the order in which its entries were written: the order of a definition's inputs is its calling
/// order. Small, so a lookup walks it.
template <class T>
using Named = std::vector<std::pair<std::string, T>>;

template <class T>
[[nodiscard]] const T* find(const Named<T>& entries, std::string_view name) {
  for (const auto& [key, value] : entries) {
    if (key == name) {
      return &value;
    }
  }
  return nullptr;
}

}  // namespace assay::task
