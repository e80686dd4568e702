#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay::agent {

/// One POST of a JSON document, and what it may take.
struct HttpRequest {
  std::string url;
  std::string key;  ///< Sent as a bearer token; empty: none. Never part of an error.
  std::string body;
  std::chrono::nanoseconds limit = std::chrono::minutes(20);  ///< For all of it.
  std::chrono::nanoseconds connect_limit = std::chrono::seconds(10);
  std::size_t most_bytes = std::size_t{8} << 20U;  ///< Of the answer's body.
};

/// Why there is no whole answer.
enum class HttpFault : std::uint8_t {
  none,
  refused,      ///< The address is none that may be asked: not http or https, or malformed.
  unreachable,  ///< No connection, no such host, a certificate that does not hold: nothing was asked.
  timed_out,
  too_large,  ///< More than `most_bytes`.
  cut_off,    ///< It ended in its middle, or is no HTTP.
};

struct HttpAnswer {
  HttpFault fault = HttpFault::none;
  std::string what;  ///< Of a fault, in words.
  int status = 0;
  std::string body;                                 ///< As far as it came.
  std::optional<std::chrono::seconds> retry_after;  ///< As the service asked for.
};

using HttpExchange = std::function<HttpAnswer(const HttpRequest&)>;

/// Asks by libcurl: http and https alone, certificates checked, no redirect followed (the key would go where it does not
/// belong), no compression (a small answer could be a large one).
[[nodiscard]] HttpAnswer exchange_by_curl(const HttpRequest& request);

}  // namespace assay::agent
