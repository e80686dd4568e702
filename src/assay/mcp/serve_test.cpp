#include <assay/mcp/serve.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <future>
#include <nlohmann/json.hpp>

#include <assay/mcp/fake_toolbox.hpp>
#include <assay/mcp/message.hpp>
#include <assay/os/fd.hpp>

namespace assay::mcp {
namespace {

using ::testing::HasSubstr;

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    from = os::Fd(ends[0]);
    to = os::Fd(ends[1]);
  }
  os::Fd from;
  os::Fd to;
};

class ServeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    served_ = std::async(std::launch::async,
                         [this] { return serve(toolbox_, "0.1.0", input_.from.get(), output_.to.get()); });
  }
  void say(std::string_view text) const {
    ASSERT_EQ(::write(input_.to.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  [[nodiscard]] std::string line() {
    while (read_.find('\n') == std::string::npos) {
      std::array<char, 4096> buffer{};
      const ssize_t count = ::read(output_.from.get(), buffer.data(), buffer.size());
      if (count <= 0) {
        return "";
      }
      read_.append(buffer.data(), static_cast<std::size_t>(count));
    }
    const std::size_t end = read_.find('\n');
    std::string line = read_.substr(0, end);
    read_.erase(0, end + 1);
    return line;
  }

  testing::FakeToolbox toolbox_;
  Pipe input_;
  Pipe output_;
  std::future<base::Result<void>> served_;
  std::string read_;
};

TEST_F(ServeTest, ServesUntilTheInputEnds) {
  say("{\"jsonrpc\":\"2.0\",\"id\":1,\"met");
  say("hod\":\"ping\"}\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\nhalf a li");
  EXPECT_EQ(line(), R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_EQ(line(), R"({"jsonrpc":"2.0","id":2,"result":{}})");
  input_.to.reset();
  EXPECT_TRUE(served_.get());
}

TEST_F(ServeTest, ACallThatWaitsIsAnsweredWithoutANewLine) {
  say("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\"}}\n");
  EXPECT_THAT(line(), HasSubstr("2025-06-18"));
  say("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"evaluate_candidate\"}}\n");
  EXPECT_THAT(line(), HasSubstr("PASSED"));
  input_.to.reset();
  EXPECT_TRUE(served_.get());
}

TEST_F(ServeTest, AClientThatReadsNoMoreIsNoError) {
  output_.from.reset();
  say("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
  EXPECT_TRUE(served_.get());
}

TEST_F(ServeTest, ALineWithoutEndIsRefusedAndTheNextIsRead) {
  const std::string part(std::size_t{1} << 20U, 'x');
  for (std::size_t sent = 0; sent <= kLongestLine; sent += part.size()) {
    say(part);
  }
  say("\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n");
  EXPECT_THAT(line(), HasSubstr("longer than"));
  EXPECT_THAT(line(), HasSubstr("\"id\":2"));
  input_.to.reset();
  EXPECT_TRUE(served_.get());
}

}  // namespace
}  // namespace assay::mcp
