#include <assay/agent/http_exchange.hpp>

#include <curl/curl.h>
#include <strings.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include <assay/base/text.hpp>

namespace assay::agent {
namespace {

constexpr long kMostHeaderBytes = 256L << 10U;
constexpr long kMostRetrySeconds = 3600;

struct Receiver {
  HttpAnswer answer;
  std::size_t most_bytes = 0;
  long header_bytes = 0;
};

std::size_t take_body(char* data, std::size_t size, std::size_t count, void* user) {
  auto& receiver = *static_cast<Receiver*>(user);
  const std::size_t bytes = size * count;
  if (bytes > receiver.most_bytes - receiver.answer.body.size()) {
    receiver.answer.fault = HttpFault::too_large;
    return 0;  // Ends the transfer.
  }
  receiver.answer.body.append(data, bytes);
  return bytes;
}

// "Retry-After: 3": seconds only. A date says too little of a clock that is not ours.
void read_retry_after(std::string_view line, HttpAnswer& answer) {
  constexpr std::string_view kName = "retry-after:";
  if (line.size() < kName.size() || ::strncasecmp(line.data(), kName.data(), kName.size()) != 0) {
    return;
  }
  const std::string_view value = base::trim(line.substr(kName.size()));
  if (value.empty() || !std::all_of(value.begin(), value.end(), base::is_digit)) {
    return;
  }
  long seconds = 0;
  for (const char digit : value) {
    seconds = std::min(seconds * 10 + (digit - '0'), kMostRetrySeconds);
  }
  answer.retry_after = std::chrono::seconds(seconds);
}

std::size_t take_header(char* data, std::size_t size, std::size_t count, void* user) {
  auto& receiver = *static_cast<Receiver*>(user);
  const std::size_t bytes = size * count;
  receiver.header_bytes += static_cast<long>(bytes);
  if (receiver.header_bytes > kMostHeaderBytes) {
    receiver.answer.fault = HttpFault::too_large;
    return 0;
  }
  read_retry_after({data, bytes}, receiver.answer);
  return bytes;
}

HttpFault fault_of(CURLcode code) {
  switch (code) {
    case CURLE_OK:
      return HttpFault::none;
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
      return HttpFault::refused;
    case CURLE_OPERATION_TIMEDOUT:
      return HttpFault::timed_out;
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_WEIRD_SERVER_REPLY:
      return HttpFault::cut_off;
    default:
      break;
  }
  return HttpFault::unreachable;
}

struct CurlDeleter {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

using Headers = std::unique_ptr<curl_slist, CurlDeleter>;

void add_header(Headers& headers, const std::string& line) {
  curl_slist* longer = curl_slist_append(headers.get(), line.c_str());
  if (longer != nullptr) {
    static_cast<void>(headers.release());
    headers.reset(longer);
  }
}

long curl_milliseconds(std::chrono::nanoseconds duration) {
  return std::max<long>(1, static_cast<long>(std::chrono::ceil<std::chrono::milliseconds>(duration).count()));
}

}  // namespace

HttpAnswer exchange_by_curl(const HttpRequest& request) {
  static const CURLcode kStarted = curl_global_init(CURL_GLOBAL_DEFAULT);
  Receiver receiver;
  receiver.most_bytes = request.most_bytes;
  const std::unique_ptr<CURL, CurlDeleter> handle(kStarted == CURLE_OK ? curl_easy_init() : nullptr);
  if (!handle) {
    receiver.answer.fault = HttpFault::unreachable;
    receiver.answer.what = "libcurl could not be started";
    return receiver.answer;
  }
  Headers headers;
  add_header(headers, "Content-Type: application/json");
  add_header(headers, "Accept: application/json");
  add_header(headers, "Expect:");
  if (!request.key.empty()) {
    add_header(headers, "Authorization: Bearer " + request.key);
  }
  char message[CURL_ERROR_SIZE] = {};
  CURL* curl = handle.get();
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, message);
  curl_easy_setopt(curl, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "assay");
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(curl, CURLOPT_POST, 1L);
  curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request.body.data());
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, curl_milliseconds(request.limit));
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, curl_milliseconds(std::min(request.limit, request.connect_limit)));
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &receiver);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, &receiver);
  const CURLcode code = curl_easy_perform(curl);
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  receiver.answer.status = static_cast<int>(status);
  if (receiver.answer.fault == HttpFault::too_large) {
    receiver.answer.what = "the answer is larger than " + base::human_bytes(request.most_bytes);
  } else if (code != CURLE_OK) {
    receiver.answer.fault = fault_of(code);
    receiver.answer.what = message[0] != '\0' ? message : curl_easy_strerror(code);
  }
  return receiver.answer;
}

}  // namespace assay::agent
