#include <assay/os/library.hpp>

#include <dlfcn.h>

namespace assay::os {

bool loads_library(const std::string& file) {
  void* handle = ::dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
  if (handle != nullptr) {
    ::dlclose(handle);
  }
  return handle != nullptr;
}

void* FunctionFinder::look_up(const char* name) {
  void* address = ::dlsym(library_, name);
  if (address == nullptr && missing_.empty()) {
    missing_ = name;
  }
  return address;
}

}  // namespace assay::os
