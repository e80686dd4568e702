// Any bytes as what an MCP client writes, which an agent can: every line that is a request is answered once, what is sent is JSON
// on one line, and arguments are read by every tool's reader without an end.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include <assay/agent/line_splitter.hpp>
#include <assay/base/error.hpp>
#include <assay/mcp/session.hpp>
#include <assay/mcp/tool_arguments.hpp>
#include <assay/mcp/tool_list.hpp>

namespace {

using namespace assay;

// Reads the arguments as every tool would, and answers at once or later.
class Reader final : public mcp::Toolbox {
 public:
  [[nodiscard]] std::string instructions() const override { return "words"; }
  [[nodiscard]] const base::Json& list() const override { return mcp::campaign_tool_list(); }
  [[nodiscard]] mcp::ToolAnswer call(std::string_view name, const base::Json& arguments,
                                     const mcp::Caller& caller) override {
    ASSAY_CHECK(caller.name.size() <= 200 && caller.name.find('\n') == std::string::npos);
    const auto given = mcp::read_submission(arguments);
    ASSAY_CHECK(!given || given->submission.hypothesis.change.size() <= 400);
    const bool good = given.has_value() || mcp::read_nothing(arguments) || mcp::read_wait(arguments) ||
                      mcp::read_result(arguments) || mcp::read_candidate(arguments) || mcp::read_pair(arguments) ||
                      mcp::read_limit(arguments) || mcp::read_search(arguments) ||
                      mcp::read_hypothesis_arguments(arguments);
    if (name == "wait_for_job") {
      return mcp::Deferred{std::chrono::seconds(1), [](bool time_is_up) -> mcp::Look {
                             return time_is_up ? mcp::Look{mcp::ToolResult{"{}", false}, ""}
                                               : mcp::Look{std::nullopt, "news"};
                           }};
    }
    return good ? mcp::ToolResult{"{}", false} : mcp::ToolResult{"wrong", true};
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Reader toolbox;
  std::size_t sent = 0;
  std::size_t lines = 0;
  mcp::Session session(toolbox, "0", [&](const std::string& line) {
    ASSAY_CHECK(line.find('\n') == std::string::npos && base::parse_json(line, "sent").has_value());
    sent += base::parse_json(line, "sent")->contains("id") ? 1U : 0U;
  });
  mcp::Session::Time now{};
  agent::LineSplitter splitter(mcp::kLongestLine, [&](std::string_view line, agent::LineSplitter::Ending /*ending*/) {
    now += std::chrono::milliseconds(300);
    ++lines;
    session.receive(line, now);
    session.look_after(now);
  });
  splitter.feed(std::string_view(reinterpret_cast<const char*>(data), size));
  splitter.finish();
  session.look_after(now + std::chrono::hours(1));
  ASSAY_CHECK(!session.waiting() && sent <= lines);
  return 0;
}
