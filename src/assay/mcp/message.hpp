#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <assay/base/json.hpp>

namespace assay::mcp {

/// The longest line that is taken: a submission's sources, escaped.
inline constexpr std::size_t kLongestLine = std::size_t{12} << 20U;
/// Commas and colons outside of strings. A message of a client has some dozens; reading JSON takes time in proportion to their
/// square.
inline constexpr std::size_t kMostParts = 4000;

/// JSON-RPC's and MCP's codes of errors that we send.
enum class ErrorCode : int {
  parse = -32700,
  invalid_request = -32600,
  unknown_method = -32601,
  invalid_parameters = -32602,
  internal = -32603,
  unsupported_version = -32022,  ///< MCP 2026-07-28.
};

/// One line of a client, as far as JSON-RPC 2.0 says what it must be.
struct Message {
  enum class Kind : std::uint8_t {
    request,
    notification,
    response,  ///< To a request of ours: we make none.
    fault,     ///< `code` and `problem` say what it is instead; `id` is "null" where it could not be read.
  };
  Kind kind = Kind::fault;
  std::string id = "null";  ///< As JSON: a number or a text.
  std::string method;
  std::shared_ptr<const base::Json> parameters;  ///< An object; empty where none are given. Never null but of a fault.
  ErrorCode code = ErrorCode::parse;
  std::string problem;
};

/// Reads one line. Never fails: what is wrong is a fault.
[[nodiscard]] Message parse_message(std::string_view line);

}  // namespace assay::mcp
