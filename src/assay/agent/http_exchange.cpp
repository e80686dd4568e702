#include <assay/agent/http_exchange.hpp>

#include <strings.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include <assay/agent/curl_library.hpp>
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

// Opened once; where it is missing, that is said each time.
const base::Result<CurlLibrary>& curl_library() {
  static const base::Result<CurlLibrary> kOpened = open_curl("libcurl.so.4");
  return kOpened;
}

struct CurlDeleter {
  void operator()(CURL* handle) const { curl_library()->cleanup(handle); }
  void operator()(curl_slist* list) const { curl_library()->free_all(list); }
};

using Headers = std::unique_ptr<curl_slist, CurlDeleter>;

void add_header(const CurlLibrary& library, Headers& headers, const std::string& line) {
  curl_slist* longer = library.append(headers.get(), line.c_str());
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
  Receiver receiver;
  receiver.most_bytes = request.most_bytes;
  const base::Result<CurlLibrary>& opened = curl_library();
  const std::unique_ptr<CURL, CurlDeleter> handle(opened ? opened->init() : nullptr);
  if (!handle) {
    receiver.answer.fault = HttpFault::unreachable;
    receiver.answer.what = opened ? "libcurl has no memory for a question" : opened.error().text();
    return receiver.answer;
  }
  const CurlLibrary& library = *opened;
  Headers headers;
  add_header(library, headers, "Content-Type: application/json");
  add_header(library, headers, "Accept: application/json");
  add_header(library, headers, "Expect:");
  if (!request.key.empty()) {
    add_header(library, headers, "Authorization: Bearer " + request.key);
  }
  char message[CURL_ERROR_SIZE] = {};
  CURL* curl = handle.get();
  library.set_option(curl, CURLOPT_ERRORBUFFER, message);
  library.set_option(curl, CURLOPT_URL, request.url.c_str());
  library.set_option(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  library.set_option(curl, CURLOPT_FOLLOWLOCATION, 0L);
  library.set_option(curl, CURLOPT_NOSIGNAL, 1L);
  library.set_option(curl, CURLOPT_USERAGENT, "assay");
  library.set_option(curl, CURLOPT_HTTPHEADER, headers.get());
  library.set_option(curl, CURLOPT_POST, 1L);
  library.set_option(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
  library.set_option(curl, CURLOPT_POSTFIELDS, request.body.data());
  library.set_option(curl, CURLOPT_TIMEOUT_MS, curl_milliseconds(request.limit));
  library.set_option(curl, CURLOPT_CONNECTTIMEOUT_MS,
                     curl_milliseconds(std::min(request.limit, request.connect_limit)));
  library.set_option(curl, CURLOPT_WRITEFUNCTION, take_body);
  library.set_option(curl, CURLOPT_WRITEDATA, &receiver);
  library.set_option(curl, CURLOPT_HEADERFUNCTION, take_header);
  library.set_option(curl, CURLOPT_HEADERDATA, &receiver);
  const CURLcode code = library.perform(curl);
  long status = 0;
  library.get_info(curl, CURLINFO_RESPONSE_CODE, &status);
  receiver.answer.status = static_cast<int>(status);
  if (receiver.answer.fault == HttpFault::too_large) {
    receiver.answer.what = "the answer is larger than " + base::human_bytes(request.most_bytes);
  } else if (code != CURLE_OK) {
    receiver.answer.fault = fault_of(code);
    receiver.answer.what = message[0] != '\0' ? message : library.describe(code);
  }
  return receiver.answer;
}

}  // namespace assay::agent
