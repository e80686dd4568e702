#pragma once

#include <curl/curl.h>

#include <string>

#include <assay/base/error.hpp>

namespace assay::agent {

/// What is used of libcurl. It is opened when a model is first asked, not when the program starts: it brings two dozen
/// libraries with it, which took longer to load than most commands take.
struct CurlLibrary {
  decltype(&curl_global_init) global_init = nullptr;
  decltype(&curl_easy_init) init = nullptr;
  decltype(&curl_easy_cleanup) cleanup = nullptr;
  decltype(&curl_easy_setopt) set_option = nullptr;
  decltype(&curl_easy_perform) perform = nullptr;
  decltype(&curl_easy_getinfo) get_info = nullptr;
  decltype(&curl_easy_strerror) describe = nullptr;
  decltype(&curl_slist_append) append = nullptr;
  decltype(&curl_slist_free_all) free_all = nullptr;
};

/// Opens the library of this name, for good, and starts it. Else an environment error that says what to install.
[[nodiscard]] base::Result<CurlLibrary> open_curl(const std::string& file);

}  // namespace assay::agent
