#include <assay/mcp/session.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include <assay/agent/event_line.hpp>
#include <assay/base/error.hpp>
#include <assay/base/text.hpp>

namespace assay::mcp {
namespace {

constexpr const char* kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr const char* kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
constexpr const char* kClientKey = "io.modelcontextprotocol/clientInfo";
constexpr const char* kServerKey = "io.modelcontextprotocol/serverInfo";
constexpr int kListLifetimeMs = 300'000;
constexpr std::size_t kLongestCaller = 100;

// The value below, or null.
const base::Json* below(const base::Json& json, const char* key) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  return !json.is_object() || found == json.end() ? nullptr : &*found;
}

const base::Json* meta_of(const Message& message) { return below(*message.parameters, "_meta"); }

std::optional<std::string> text_below(const base::Json* json, const char* key) {
  const base::Json* value = json == nullptr ? nullptr : below(*json, key);
  return value == nullptr || !value->is_string() ? std::nullopt : std::optional(value->get<std::string>());
}

Caller caller_of(const base::Json* information) {
  const std::string name = text_below(information, "name").value_or("unknown client");
  const auto version = text_below(information, "version");
  std::string text = agent::clip(base::printable(version ? name + " " + *version : name), kLongestCaller);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return {std::move(text)};
}

base::Json supported_versions() {
  base::Json versions = base::Json::array({kModernVersion});
  for (const std::string_view version : kHandshakeVersions) {
    versions.push_back(version);
  }
  return versions;
}

}  // namespace

struct Session::Call {
  std::string id;
  bool modern = false;
  std::optional<std::string> progress_token;  // As JSON.
  Deferred deferred;
  Time end;
  std::int64_t told = 0;
  std::string news;
  Time told_at;
};

Session::Session(Toolbox& toolbox, std::string version, Send send)
    : toolbox_(toolbox), version_(std::move(version)), send_(std::move(send)), caller_{"unknown client"} {}
Session::~Session() = default;

base::Json Session::server_information() const {
  return {{"name", "assay"}, {"title", "Assay"}, {"version", version_}};
}

void Session::receive(std::string_view line, Time now) {
  if (base::trim(line).empty()) {
    return;
  }
  const Message message = parse_message(line);
  switch (message.kind) {
    case Message::Kind::fault:
      refuse(message.id, message.code, message.problem);
      return;
    case Message::Kind::request:
      request(message, now);
      return;
    case Message::Kind::notification:
      notification(message);
      return;
    case Message::Kind::response:
      return;
  }
}

void Session::refuse_long_line() {
  refuse("null", ErrorCode::invalid_request,
         fmt::format("a message is longer than {}", base::human_bytes(kLongestLine)));
}

void Session::request(const Message& message, Time now) {
  const bool repeated =
      std::any_of(calls_.begin(), calls_.end(), [&](const auto& call) { return call->id == message.id; });
  if (repeated) {
    refuse(message.id, ErrorCode::invalid_request, "a request with this id waits for its answer");
    return;
  }
  const base::Json* meta = meta_of(message);
  if (message.method == "server/discover" || (meta != nullptr && below(*meta, kVersionKey) != nullptr)) {
    modern_request(message, now);
  } else {
    handshake_request(message, now);
  }
}

void Session::modern_request(const Message& message, Time now) {
  const base::Json* meta = meta_of(message);
  const auto version = text_below(meta, kVersionKey);
  if (!version) {
    refuse(message.id, ErrorCode::invalid_parameters, fmt::format("_meta has no text \"{}\"", kVersionKey));
    return;
  }
  if (*version != kModernVersion) {
    const base::Json data = {{"supported", supported_versions()},
                             {"requested", agent::clip(base::printable(*version), kLongestCaller)}};
    refuse(message.id, ErrorCode::unsupported_version, "unsupported protocol version", &data);
    return;
  }
  const base::Json* capabilities = below(*meta, kCapabilitiesKey);
  if (capabilities == nullptr || !capabilities->is_object()) {
    refuse(message.id, ErrorCode::invalid_parameters, fmt::format("_meta has no object \"{}\"", kCapabilitiesKey));
    return;
  }
  caller_ = caller_of(below(*meta, kClientKey));
  if (message.method == "server/discover") {
    answer(message.id,
           {{"supportedVersions", supported_versions()},
            {"capabilities", {{"tools", base::Json::object()}}},
            {"instructions", toolbox_.instructions()},
            {"ttlMs", kListLifetimeMs},
            {"cacheScope", "private"}},
           true);
  } else if (message.method == "tools/list") {
    list_tools(message, true);
  } else if (message.method == "tools/call") {
    call_tool(message, true, now);
  } else {
    refuse(message.id, ErrorCode::unknown_method, "method not found");
  }
}

void Session::handshake_request(const Message& message, Time now) {
  if (message.method == "initialize") {
    initialize(message);
  } else if (message.method == "ping") {
    answer(message.id, base::Json::object(), false);
  } else if (message.method != "tools/list" && message.method != "tools/call") {
    refuse(message.id, ErrorCode::unknown_method, "method not found");
  } else if (!initialized_) {
    refuse(message.id, ErrorCode::invalid_request,
           fmt::format("send initialize first, or say the protocol's version in _meta (\"{}\")", kVersionKey));
  } else if (message.method == "tools/list") {
    list_tools(message, false);
  } else {
    call_tool(message, false, now);
  }
}

void Session::initialize(const Message& message) {
  const auto wanted = text_below(message.parameters.get(), "protocolVersion");
  if (!wanted) {
    refuse(message.id, ErrorCode::invalid_parameters, "initialize needs a text \"protocolVersion\"");
    return;
  }
  const bool known =
      std::find(kHandshakeVersions.begin(), kHandshakeVersions.end(), *wanted) != kHandshakeVersions.end();
  initialized_ = true;
  caller_ = caller_of(below(*message.parameters, "clientInfo"));
  answer(message.id,
         {{"protocolVersion", known ? *wanted : std::string(kHandshakeVersions.front())},
          {"capabilities", {{"tools", {{"listChanged", false}}}}},
          {"serverInfo", server_information()},
          {"instructions", toolbox_.instructions()}},
         false);
}

void Session::notification(const Message& message) {
  if (message.method != "notifications/cancelled") {
    return;
  }
  const base::Json* id = below(*message.parameters, "requestId");
  if (id != nullptr) {
    const std::string text = base::dump_compact(*id);
    std::erase_if(calls_, [&](const auto& call) { return call->id == text; });
  }
}

void Session::list_tools(const Message& message, bool modern) {
  if (message.parameters->contains("cursor")) {
    refuse(message.id, ErrorCode::invalid_parameters, "there is no such cursor: the list has one page");
    return;
  }
  base::Json result = {{"tools", toolbox_.list()}};
  if (modern) {
    result["ttlMs"] = kListLifetimeMs;
    result["cacheScope"] = "private";
  }
  answer(message.id, std::move(result), modern);
}

void Session::call_tool(const Message& message, bool modern, Time now) {
  const auto name = text_below(message.parameters.get(), "name");
  const base::Json& tools = toolbox_.list();
  const bool known =
      name && std::any_of(tools.begin(), tools.end(), [&](const base::Json& tool) { return tool["name"] == *name; });
  if (!known) {
    std::string names;
    for (const base::Json& tool : tools) {
      names += (names.empty() ? "" : ", ") + tool["name"].get<std::string>();
    }
    refuse(message.id, ErrorCode::invalid_parameters, "unknown tool; there is " + names);
    return;
  }
  const base::Json empty = base::Json::object();
  const base::Json* given = below(*message.parameters, "arguments");
  const base::Json& arguments = given == nullptr || given->is_null() ? empty : *given;
  ToolAnswer reply = toolbox_.call(*name, arguments, caller_);
  if (const auto* result = std::get_if<ToolResult>(&reply)) {
    answer_call(message.id, modern, *result);
    return;
  }
  if (calls_.size() >= kMostWaiting) {
    answer_call(message.id, modern, {"too many calls wait for their answer: cancel some", true});
    return;
  }
  auto call = std::make_unique<Call>();
  call->id = message.id;
  call->modern = modern;
  const base::Json* meta = meta_of(message);
  const base::Json* token = meta == nullptr ? nullptr : below(*meta, "progressToken");
  if (token != nullptr && (token->is_string() || token->is_number_integer())) {
    call->progress_token = base::dump_compact(*token);
  }
  call->deferred = std::get<Deferred>(std::move(reply));
  call->end = now + std::chrono::duration_cast<std::chrono::steady_clock::duration>(call->deferred.limit);
  call->told_at = now - kBetweenNews;
  calls_.push_back(std::move(call));
  look_after(now);
}

void Session::look_after(Time now) {
  std::vector<std::unique_ptr<Call>> still;
  for (auto& call : std::exchange(calls_, {})) {
    Look look = call->deferred.look(now >= call->end);
    if (look.result) {
      answer_call(call->id, call->modern, *look.result);
      continue;
    }
    if (call->progress_token && look.news != call->news && now - call->told_at >= kBetweenNews) {
      call->news = look.news;
      call->told_at = now;
      send_(fmt::format(R"({{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{},)"
                        R"("progress":{},"message":{}}}}})",
                        *call->progress_token, ++call->told, base::dump_compact(base::Json(look.news))));
    }
    still.push_back(std::move(call));
  }
  calls_ = std::move(still);
}

void Session::answer(const std::string& id, base::Json result, bool modern) {
  if (modern) {
    result["resultType"] = "complete";
    result["_meta"] = {{kServerKey, server_information()}};
  }
  send_(fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{}}})", id, base::dump_compact(result)));
}

void Session::refuse(const std::string& id, ErrorCode code, const std::string& message, const base::Json* data) {
  base::Json error = {{"code", static_cast<int>(code)}, {"message", message}};
  if (data != nullptr) {
    error["data"] = *data;
  }
  send_(fmt::format(R"({{"jsonrpc":"2.0","id":{},"error":{}}})", id, base::dump_compact(error)));
}

void Session::answer_call(const std::string& id, bool modern, const ToolResult& result) {
  base::Json json = {{"content", base::Json::array({{{"type", "text"}, {"text", result.text}}})}};
  if (result.failed) {
    json["isError"] = true;
  } else {
    const auto structured = base::parse_json(result.text, "a tool's answer");
    ASSAY_CHECK(structured && structured->is_object());
    json["structuredContent"] = *structured;
  }
  answer(id, std::move(json), modern);
}

}  // namespace assay::mcp
