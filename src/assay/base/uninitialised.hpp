#pragma once

#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace assay::base {

/// An allocator whose elements are left as the memory was when a vector grows: zeros that are overwritten at once cost
/// more, for tens of mebibytes, than the arithmetic that follows.
template <class T>
class UninitialisedAllocator : public std::allocator<T> {
 public:
  template <class Other>
  struct rebind {
    using other = UninitialisedAllocator<Other>;
  };
  UninitialisedAllocator() = default;
  template <class Other>
  UninitialisedAllocator(const UninitialisedAllocator<Other>&) noexcept {}  // NOLINT(google-explicit-constructor)

  template <class Element>
  void construct(Element* place) noexcept {
    ::new (static_cast<void*>(place)) Element;
  }
  template <class Element, class... Arguments>
  void construct(Element* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) Element(std::forward<Arguments>(arguments)...);
  }
};

/// A vector for results that are written whole. Read nothing that was not written.
template <class T>
using UninitialisedVector = std::vector<T, UninitialisedAllocator<T>>;

}  // namespace assay::base
