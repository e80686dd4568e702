#pragma once

#include <string>

namespace assay::os {

/// Tells whether a shared library can be loaded here, by name or path. It stays loaded: some leak when they are unloaded.
[[nodiscard]] bool loads_library(const std::string& file);

/// Looks functions up in an open library, and remembers the first that it lacks.
class FunctionFinder {
 public:
  /// `library`: what dlopen returned; it stays open.
  explicit FunctionFinder(void* library) : library_(library) {}

  /// Sets a pointer to a function to the one of this name, whose type the caller knows; nullptr if there is none.
  template <class Function>
  void find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(look_up(name));
  }
  /// The name of the first function that was not there; empty: all were.
  [[nodiscard]] const std::string& missing() const { return missing_; }

 private:
  [[nodiscard]] void* look_up(const char* name);
  void* library_;
  std::string missing_;
};

}  // namespace assay::os
