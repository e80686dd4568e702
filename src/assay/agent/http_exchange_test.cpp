// libcurl against a service on the loopback that this test plays, byte by byte.
#include <assay/agent/http_exchange.hpp>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <thread>

#include <assay/os/fd.hpp>

namespace assay::agent {
namespace {

using ::testing::HasSubstr;

// Answers one connection with fixed bytes, then closes it, or holds it open until it is destroyed.
class Service {
 public:
  enum class End : std::uint8_t { close, hold };

  explicit Service(std::string answer, End end = End::close) : answer_(std::move(answer)), end_(end) {
    listening_ = os::Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(listening_.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(listening_.get(), 4), 0);
    ::getsockname(listening_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~Service() {
    ::shutdown(listening_.get(), SHUT_RDWR);
    thread_.join();
  }
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/v1/chat/completions"; }
  [[nodiscard]] const std::string& heard() const { return heard_; }

 private:
  void serve() {
    const os::Fd connection(::accept(listening_.get(), nullptr, nullptr));
    if (!connection.valid()) {
      return;
    }
    while (heard_.find("\r\n\r\nQUESTION") == std::string::npos) {
      char buffer[4096];
      const ssize_t count = ::recv(connection.get(), buffer, sizeof buffer, 0);
      if (count <= 0) {
        return;
      }
      heard_.append(buffer, static_cast<std::size_t>(count));
    }
    std::size_t sent = 0;
    while (sent < answer_.size()) {
      const ssize_t count = ::send(connection.get(), answer_.data() + sent, answer_.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) {
        return;
      }
      sent += static_cast<std::size_t>(count);
    }
    if (end_ == End::hold) {
      char byte = 0;
      static_cast<void>(::recv(connection.get(), &byte, 1, 0));  // Until the client gives up.
    }
  }

  std::string answer_;
  End end_;
  os::Fd listening_;
  int port_ = 0;
  std::thread thread_;
  std::string heard_;
};

std::string whole_answer(const std::string& status, const std::string& headers, const std::string& body) {
  return "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + headers + "\r\n" + body;
}

HttpRequest question_to(const std::string& url) {
  HttpRequest request;
  request.url = url;
  request.key = "secret";
  request.body = "QUESTION";
  request.limit = std::chrono::seconds(20);
  return request;
}

class HttpExchangeTest : public ::testing::Test {
 protected:
  // The loopback is asked directly, whatever this machine's proxy is.
  void SetUp() override { ::setenv("no_proxy", "127.0.0.1", 1); }
};

TEST_F(HttpExchangeTest, SendsTheKeyAndReadsStatusAndBody) {
  std::string heard;
  HttpAnswer answer;
  {
    const Service service(whole_answer("200 OK", "", R"({"a": 1})"));
    answer = exchange_by_curl(question_to(service.url()));
    heard = service.heard();
  }
  EXPECT_EQ(answer.fault, HttpFault::none) << answer.what;
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, R"({"a": 1})");
  EXPECT_FALSE(answer.retry_after);
  EXPECT_THAT(heard, HasSubstr("POST /v1/chat/completions HTTP/1.1\r\n"));
  EXPECT_THAT(heard, HasSubstr("Authorization: Bearer secret\r\n"));
  EXPECT_THAT(heard, HasSubstr("Content-Type: application/json\r\n"));
}

TEST_F(HttpExchangeTest, ReadsHowLongABusyServiceWantsToBeLeftAlone) {
  const auto asked = [](const std::string& value) {
    const Service service(whole_answer("429 Too Many Requests", "reTry-after:" + value + "\r\n", "{}"));
    const HttpAnswer answer = exchange_by_curl(question_to(service.url()));
    EXPECT_EQ(answer.status, 429);
    return answer.retry_after;
  };
  EXPECT_EQ(asked(" 7 "), std::chrono::seconds(7));
  EXPECT_EQ(asked("99999999999999999999"), std::chrono::seconds(3600));
  EXPECT_FALSE(asked("Mon, 30 Nov 2026 12:00:00 GMT"));
  EXPECT_FALSE(asked("-1"));
  EXPECT_FALSE(asked(""));
}

TEST_F(HttpExchangeTest, AnAnswerThatEndsInItsMiddleIsCutOff) {
  const Service service("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"half\":");
  const HttpAnswer answer = exchange_by_curl(question_to(service.url()));
  EXPECT_EQ(answer.fault, HttpFault::cut_off);
  EXPECT_EQ(answer.body, "{\"half\":");
}

TEST_F(HttpExchangeTest, AHugeAnswerIsNotTaken) {
  const Service service(whole_answer("200 OK", "", std::string(3'000'000, 'x')));
  HttpRequest request = question_to(service.url());
  request.most_bytes = 100'000;
  const HttpAnswer answer = exchange_by_curl(request);
  EXPECT_EQ(answer.fault, HttpFault::too_large);
  EXPECT_LE(answer.body.size(), 100'000U);
  EXPECT_THAT(answer.what, HasSubstr("larger than"));
}

TEST_F(HttpExchangeTest, EndlessHeadersAreNotTaken) {
  std::string headers;
  for (int i = 0; i < 6000; ++i) {
    headers += "X-" + std::to_string(i) + ": " + std::string(80, 'y') + "\r\n";
  }
  const Service service(whole_answer("200 OK", headers, "{}"));
  EXPECT_NE(exchange_by_curl(question_to(service.url())).fault, HttpFault::none);
}

TEST_F(HttpExchangeTest, ASlowServiceIsLeftAtTheLimit) {
  const Service service("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", Service::End::hold);
  HttpRequest request = question_to(service.url());
  request.limit = std::chrono::milliseconds(300);
  EXPECT_EQ(exchange_by_curl(request).fault, HttpFault::timed_out);
}

TEST_F(HttpExchangeTest, NoHttpIsCutOff) {
  const Service service("220 mail.example ESMTP\r\n");
  const HttpAnswer answer = exchange_by_curl(question_to(service.url()));
  EXPECT_NE(answer.fault, HttpFault::none);
}

TEST_F(HttpExchangeTest, ARedirectIsAnAnswer) {
  const Service service(whole_answer("307 Temporary Redirect", "Location: http://127.0.0.1:1/elsewhere\r\n", ""));
  const HttpAnswer answer = exchange_by_curl(question_to(service.url()));
  EXPECT_EQ(answer.fault, HttpFault::none);
  EXPECT_EQ(answer.status, 307);
}

TEST_F(HttpExchangeTest, NobodyThereIsUnreachable) {
  std::string url;
  {
    const Service gone("");
    url = gone.url();
  }
  EXPECT_EQ(exchange_by_curl(question_to(url)).fault, HttpFault::unreachable);
}

TEST_F(HttpExchangeTest, OnlyHttpIsAsked) {
  EXPECT_EQ(exchange_by_curl(question_to("file:///etc/hostname")).fault, HttpFault::refused);
  EXPECT_EQ(exchange_by_curl(question_to("http://")).fault, HttpFault::refused);
}

}  // namespace
}  // namespace assay::agent
