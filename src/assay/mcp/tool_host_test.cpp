// A client inside of a sandbox reaches its tools through a socket, by the relay that it starts as its server.
#include <assay/mcp/tool_host.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <future>

#include <assay/mcp/fake_toolbox.hpp>
#include <assay/mcp/relay.hpp>
#include <assay/mcp/socket.hpp>

namespace assay::mcp {
namespace {

using ::testing::HasSubstr;

constexpr const char* kPing = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";

class ToolHostTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = os::TemporaryDirectory::create("/tmp", "assay-host-");
    ASSERT_TRUE(made) << made.error().text();
    folder_.emplace(std::move(*made));
    auto opened = ToolHost::open(std::make_unique<testing::FakeToolbox>(), socket(), "0.1.0");
    ASSERT_TRUE(opened) << opened.error().text();
    host_ = std::move(*opened);
  }
  [[nodiscard]] os::Path socket() const { return folder_->path() / "tools"; }
  // Reads one line from a descriptor.
  static std::string line(int from) {
    std::string text;
    char c = 0;
    while (::read(from, &c, 1) == 1 && c != '\n') {
      text += c;
    }
    return text;
  }

  std::optional<os::TemporaryDirectory> folder_;
  std::unique_ptr<ToolHost> host_;
};

TEST_F(ToolHostTest, TheRelayIsAServerToItsClient) {
  std::array<int, 2> in{};
  std::array<int, 2> out{};
  ASSERT_EQ(::pipe(in.data()), 0);
  ASSERT_EQ(::pipe(out.data()), 0);
  auto relayed = std::async(std::launch::async, [&] { return relay(socket(), in[0], out[1]); });
  for (int i = 0; i < 3; ++i) {
    ASSERT_GT(::write(in[1], kPing, std::string_view(kPing).size()), 0);
    EXPECT_EQ(line(out[0]), R"({"jsonrpc":"2.0","id":1,"result":{}})");
  }
  ::close(in[1]);
  EXPECT_TRUE(relayed.get());
  for (const int fd : {in[0], out[0], out[1]}) {
    ::close(fd);
  }
}

TEST_F(ToolHostTest, SeveralAreServedAtOnceAndAllEndWithTheHost) {
  const os::Fd first = connect_to(socket()).value();
  const os::Fd second = connect_to(socket()).value();
  for (const os::Fd* client : {&second, &first}) {
    ASSERT_GT(::write(client->get(), kPing, std::string_view(kPing).size()), 0);
    EXPECT_THAT(line(client->get()), HasSubstr("result"));
  }
  host_.reset();
  EXPECT_EQ(line(first.get()), "") << "closed";
  const auto late = connect_to(socket());
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().owner, base::Owner::input);
  EXPECT_THAT(late.error().message, HasSubstr("nobody listens"));
}

TEST_F(ToolHostTest, ANameThatIsTooLongOrTakenIsRefused) {
  EXPECT_THAT(connect_to(os::Path("/tmp") / std::string(200, 'x')).error().message, HasSubstr("shorter"));
  EXPECT_FALSE(listen_at(socket())) << "somebody listens there";
}

}  // namespace
}  // namespace assay::mcp
