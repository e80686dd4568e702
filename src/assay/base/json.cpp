#include <assay/base/json.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_set>
#include <vector>

namespace assay::base {

namespace {

constexpr int kMaximumDepth = 200;

// Counts brackets outside strings. A syntax error is left for the parser to report.
int nesting(std::string_view text) {
  int depth = 0;
  int deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      deepest = std::max(deepest, ++depth);
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return deepest;
}

std::string place(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t newline = before.rfind('\n');
  const std::size_t column = newline == std::string_view::npos ? before.size() : before.size() - newline - 1;
  return fmt::format("line {}, column {}", line, column + 1);
}

// Notices a key that its object has already: the library lets the last win, so that two readers could see two files.
class DuplicateKeys {
 public:
  // A parser callback; `event` and `parsed` are the library's. Keeps every value.
  bool operator()(Json::parse_event_t event, const Json& parsed) {
    switch (event) {
      case Json::parse_event_t::object_start:
        objects_.emplace_back();
        break;
      case Json::parse_event_t::object_end:
        objects_.pop_back();
        break;
      case Json::parse_event_t::key:
        if (!objects_.back().insert(parsed.get<std::string>()).second && !first_) {
          first_ = parsed.get<std::string>();
        }
        break;
      default:
        break;
    }
    return true;
  }

  [[nodiscard]] const std::optional<std::string>& first() const { return first_; }

 private:
  std::vector<std::unordered_set<std::string>> objects_;
  std::optional<std::string> first_;
};

}  // namespace

Result<Json> parse_json(std::string_view text, std::string_view source) {
  if (nesting(text) > kMaximumDepth) {
    return input_error("json.depth", fmt::format("{}: nested deeper than {} levels", source, kMaximumDepth));
  }
  try {
    DuplicateKeys duplicates;
    Json value = Json::parse(
        text, [&](int /*depth*/, Json::parse_event_t event, Json& parsed) { return duplicates(event, parsed); });
    if (duplicates.first()) {
      return input_error("json.duplicate_key", fmt::format("{}: the key {} appears twice in one object: remove one",
                                                           source, dump_compact(*duplicates.first())));
    }
    return value;
  } catch (const Json::parse_error& failure) {
    const bool truncated = failure.byte > text.size();
    return input_error("json.syntax", fmt::format("{}: {} at {}: check the file", source,
                                                  truncated ? "the JSON ends too early (truncated?)" : "not valid JSON",
                                                  place(text, failure.byte == 0 ? 0 : failure.byte - 1)));
  } catch (const Json::out_of_range& failure) {
    // The library's text ends in the number: "… number overflow parsing '1e999'".
    const std::string_view what = failure.what();
    const std::size_t quote = std::min(what.find('\''), what.size());
    return input_error("json.number", fmt::format("{}: the number {} does not fit a double: write a smaller one",
                                                  source, what.substr(quote)));
  }
}

std::string dump_compact(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string dump_pretty(const Json& value) { return value.dump(2, ' ', false, Json::error_handler_t::replace); }

std::string pointer_token(std::string_view key) {
  std::string token;
  for (const char c : key) {
    if (c == '~') {
      token += "~0";
    } else if (c == '/') {
      token += "~1";
    } else {
      token += c;
    }
  }
  return token;
}

}  // namespace assay::base
