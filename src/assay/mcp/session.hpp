#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <assay/base/json.hpp>
#include <assay/mcp/message.hpp>
#include <assay/mcp/toolbox.hpp>

namespace assay::mcp {

/// The revision without a handshake: each request says in `_meta` what it speaks.
inline constexpr std::string_view kModernVersion = "2026-07-28";
/// Those with `initialize`, the newest first.
inline constexpr std::array<std::string_view, 4> kHandshakeVersions = {"2025-11-25", "2025-06-18", "2025-03-26",
                                                                       "2024-11-05"};

/// Calls that wait for their answer at once; more are refused.
inline constexpr std::size_t kMostWaiting = 64;
/// Progress is told no more often than that.
inline constexpr std::chrono::seconds kBetweenNews(1);

/// One client's conversation: reads its lines and answers them, in both eras of the protocol. Does no input or output itself,
/// and asks no clock.
class Session {
 public:
  using Time = std::chrono::steady_clock::time_point;
  /// Takes one message, without a newline.
  using Send = std::function<void(const std::string& line)>;

  /// `toolbox` must outlive the session.
  Session(Toolbox& toolbox, std::string version, Send send);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Takes a line of the client's.
  void receive(std::string_view line, Time now);
  /// Takes note of a line that was longer than kLongestLine.
  void refuse_long_line();
  /// Looks after the calls that wait: answers those that are ready, and tells how the others go.
  void look_after(Time now);
  [[nodiscard]] bool waiting() const { return !calls_.empty(); }

 private:
  struct Call;

  void request(const Message& message, Time now);
  void modern_request(const Message& message, Time now);
  void handshake_request(const Message& message, Time now);
  void notification(const Message& message);
  void initialize(const Message& message);
  void list_tools(const Message& message, bool modern);
  void call_tool(const Message& message, bool modern, Time now);

  void answer(const std::string& id, base::Json result, bool modern);
  void refuse(const std::string& id, ErrorCode code, const std::string& message, const base::Json* data = nullptr);
  void answer_call(const std::string& id, bool modern, const ToolResult& result);
  [[nodiscard]] base::Json server_information() const;

  Toolbox& toolbox_;
  std::string version_;
  Send send_;
  bool initialized_ = false;
  Caller caller_;
  std::vector<std::unique_ptr<Call>> calls_;
};

}  // namespace assay::mcp
