#include <assay/agent/curl_library.hpp>

#include <dlfcn.h>
#include <fmt/core.h>

#include <assay/os/library.hpp>

namespace assay::agent {
namespace {

constexpr const char* kRemedy = "install libcurl4, which asks models over HTTP";

}  // namespace

base::Result<CurlLibrary> open_curl(const std::string& file) {
  void* const opened = ::dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
  if (opened == nullptr) {
    return base::environment_error("agent.libcurl", fmt::format("{}: {}", ::dlerror(), kRemedy));
  }
  CurlLibrary curl;
  os::FunctionFinder finder(opened);
  finder.find(curl.global_init, "curl_global_init");
  finder.find(curl.init, "curl_easy_init");
  finder.find(curl.cleanup, "curl_easy_cleanup");
  finder.find(curl.set_option, "curl_easy_setopt");
  finder.find(curl.perform, "curl_easy_perform");
  finder.find(curl.get_info, "curl_easy_getinfo");
  finder.find(curl.describe, "curl_easy_strerror");
  finder.find(curl.append, "curl_slist_append");
  finder.find(curl.free_all, "curl_slist_free_all");
  if (!finder.missing().empty()) {
    return base::environment_error("agent.libcurl", fmt::format("{} has no {}: {}", file, finder.missing(), kRemedy));
  }
  if (curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    return base::environment_error("agent.libcurl", fmt::format("{} could not be started", file));
  }
  return curl;
}

}  // namespace assay::agent
