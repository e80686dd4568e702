#include <assay/mcp/message.hpp>

#include <nlohmann/json.hpp>
#include <utility>

namespace assay::mcp {
namespace {

constexpr std::size_t kLongestId = 200;
constexpr std::size_t kLongestMethod = 100;

// Counts what makes values of a text, without reading it.
std::size_t parts_of(std::string_view text) {
  std::size_t parts = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      i += c == '\\' ? 1 : 0;
      in_string = c != '"';
    } else {
      in_string = c == '"';
      parts += c == ',' || c == ':' ? 1 : 0;
    }
  }
  return parts;
}

Message fault(Message message, ErrorCode code, std::string problem) {
  message.kind = Message::Kind::fault;
  message.code = code;
  message.problem = std::move(problem);
  return message;
}

}  // namespace

Message parse_message(std::string_view line) {
  Message message;
  if (parts_of(line) > kMostParts) {
    return fault(std::move(message), ErrorCode::invalid_request, "the message has too many values");
  }
  auto parsed = base::parse_json(line, "message");
  if (!parsed) {
    return fault(std::move(message), ErrorCode::parse, parsed.error().message);
  }
  const base::Json& json = *parsed;
  if (!json.is_object()) {
    return fault(std::move(message), ErrorCode::invalid_request,
                 "a message is one JSON object on a line; batches are not taken");
  }
  const auto id = json.find("id");
  if (id != json.end()) {
    if (!id->is_string() && !id->is_number_integer()) {
      return fault(std::move(message), ErrorCode::invalid_request, "an id is a text or a whole number");
    }
    std::string text = base::dump_compact(*id);
    if (text.size() > kLongestId) {
      return fault(std::move(message), ErrorCode::invalid_request, "the id is too long");
    }
    message.id = std::move(text);
  }
  if (!json.contains("jsonrpc") || json["jsonrpc"] != "2.0") {
    return fault(std::move(message), ErrorCode::invalid_request, "\"jsonrpc\" must be \"2.0\"");
  }
  const auto method = json.find("method");
  if (method == json.end()) {
    const bool answers = id != json.end() && (json.contains("result") || json.contains("error"));
    if (!answers) {
      return fault(std::move(message), ErrorCode::invalid_request, "the message has no method");
    }
    message.kind = Message::Kind::response;
    message.parameters = std::make_shared<const base::Json>(base::Json::object());
    return message;
  }
  if (!method->is_string() || method->get_ref<const std::string&>().size() > kLongestMethod) {
    return fault(std::move(message), ErrorCode::invalid_request, "a method is a short text");
  }
  const auto parameters = json.find("params");
  if (parameters != json.end() && !parameters->is_object()) {
    return fault(std::move(message), ErrorCode::invalid_parameters, "\"params\" must be an object");
  }
  message.kind = id == json.end() ? Message::Kind::notification : Message::Kind::request;
  message.method = method->get<std::string>();
  message.parameters =
      std::make_shared<const base::Json>(parameters == json.end() ? base::Json::object() : *parameters);
  return message;
}

}  // namespace assay::mcp
