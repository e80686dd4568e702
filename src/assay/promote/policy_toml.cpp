#include <fmt/format.h>
#include <algorithm>

#include <stdexcept>

// What the library asserts of itself, some files break ("[." is one): its assertions throw here, in every build, instead
// of ending the program or being taken for granted. No other file includes it.
namespace assay::promote {
[[noreturn]] void refuse_broken_assertion(const char* what);
}  // namespace assay::promote
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(expr) \
  (static_cast<bool>(expr) ? static_cast<void>(0) : assay::promote::refuse_broken_assertion(#expr))
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")
#include <map>
#include <nlohmann/json.hpp>

#include <assay/promote/policy_fields.hpp>

namespace assay::promote {
namespace {

using base::Json;

// Where each value of the document stands, by its JSON pointer.
using Lines = std::map<std::string, std::uint32_t>;

Json to_json(const toml::node& node, const std::string& pointer, Lines& lines) {
  lines[pointer] = node.source().begin.line;
  if (const toml::table* table = node.as_table()) {
    Json object = Json::object();
    for (const auto& [key, value] : *table) {
      const std::string name(key.str());
      object[name] = to_json(value, pointer + "/" + base::pointer_token(name), lines);
    }
    return object;
  }
  if (const toml::array* array = node.as_array()) {
    Json values = Json::array();
    for (const toml::node& element : *array) {
      values.push_back(to_json(element, fmt::format("{}/{}", pointer, values.size()), lines));
    }
    return values;
  }
  if (const auto* integer = node.as_integer()) {
    return integer->get();
  }
  if (const auto* real = node.as_floating_point()) {
    return task::encode_number(real->get());
  }
  if (const auto* flag = node.as_boolean()) {
    return flag->get();
  }
  // Dates and times are no fields of a policy: as text they get the reader's "must be ..., not the text".
  return node.value<std::string>().value_or("a date or time");
}

// The line of the value, or of the nearest table around it where the value is missing.
std::uint32_t line_of(const Lines& lines, std::string pointer) {
  while (true) {
    const auto found = lines.find(pointer);
    if (found != lines.end() && found->second > 0) {
      return found->second;
    }
    if (pointer.empty()) {
      return 1;
    }
    pointer.erase(pointer.rfind('/'));
  }
}

// Shows a pointer as TOML writes it: /gate/alpha is gate.alpha.
std::string dotted(std::string_view pointer) {
  std::string text(pointer.substr(pointer.empty() ? 0 : 1));
  for (char& c : text) {
    c = c == '/' ? '.' : c;
  }
  return text;
}

std::string sentence(std::string_view source, const Lines& lines, const task::Problem& problem) {
  const std::string field = dotted(problem.pointer);
  return fmt::format("{}:{}: {}{}", source, line_of(lines, problem.pointer),
                     field.empty() ? "the policy " : field + " ", problem.message);
}

// Follows where comments are: a # in a string begins none.
class CommentTracker {
 public:
  // Whether the character at `at` is in a comment; to be asked of each in turn.
  bool in_comment(std::string_view toml, std::size_t at) {
    const char c = toml[at];
    if (at < next_) {
      return false;  // The rest of a delimiter or of an escape.
    }
    if (is_comment_) {
      is_comment_ = c != '\n';
    } else if (delimiter_.empty()) {
      is_comment_ = c == '#';
      if (c == '"' || c == '\'') {
        const std::string_view three = toml.substr(at, 3);
        delimiter_ = three == std::string(3, c) ? three : three.substr(0, 1);
        next_ = at + delimiter_.size();
      }
    } else if (c == '\\' && delimiter_.front() == '"') {
      next_ = at + 2;
    } else if (toml.substr(at).starts_with(delimiter_)) {
      next_ = at + delimiter_.size();
      delimiter_ = {};
    } else if (c == '\n' && delimiter_.size() == 1) {
      delimiter_ = {};  // Unfinished, which the parser will say.
    }
    return is_comment_;
  }

 private:
  std::string_view delimiter_;  ///< Of the string that is open.
  std::size_t next_ = 0;
  bool is_comment_ = false;
};

// Control characters, of which TOML allows none, and outside of comments those beyond ASCII, which no word of a policy
// needs: of both the library's parser takes for granted what need not be so.
base::Result<void> check_characters(std::string_view toml, std::string_view source) {
  std::size_t line = 1;
  CommentTracker comments;
  for (std::size_t at = 0; at < toml.size(); ++at) {
    const auto c = static_cast<unsigned char>(toml[at]);
    const bool in_comment = comments.in_comment(toml, at);
    if ((c < 0x20 && c != '\n' && c != '\t' && c != '\r') || c == 0x7f) {
      return base::input_error(
          "policy.syntax", fmt::format("{}:{}: not valid TOML: it has a control character: remove it", source, line));
    }
    if (c >= 0x80 && !in_comment) {
      return base::input_error("policy.syntax", fmt::format("{}:{}: not valid TOML: outside of comments a policy is "
                                                            "written in ASCII: replace the character",
                                                            source, line));
    }
    line += c == '\n' ? 1 : 0;
  }
  return {};
}

}  // namespace

void refuse_broken_assertion(const char* what) { throw std::logic_error(what); }

base::Result<Policy> parse_policy(std::string_view toml, std::string_view source) {
  ASSAY_TRY(check_characters(toml, source));
  toml::table table;
  try {
    table = toml::parse(toml, source);
  } catch (const toml::parse_error& failure) {
    return base::input_error("policy.syntax",
                             fmt::format("{}:{}: not valid TOML: {}: mend the line; policies/quick.toml shows the form",
                                         source, failure.source().begin.line, failure.description()));
  } catch (const std::logic_error& broken) {
    return base::input_error("policy.syntax",
                             fmt::format("{}: not valid TOML, in a way that its parser was not made for ({}): "
                                         "policies/quick.toml shows the form",
                                         source, broken.what()));
  }
  Lines lines;
  const Json json = to_json(table, "", lines);
  const auto decoded = task::decode_whole(
      json, task::Coercion::strict, [](const task::Node& node) { return read_policy(node, Missing::take_default); });
  if (!decoded.value) {
    std::string message = sentence(source, lines, decoded.problems.front());
    if (decoded.problems.size() > 1) {
      message += fmt::format("; and {} more", decoded.problems.size() - 1);
    }
    return base::input_error("policy.invalid", message + " (policies/quick.toml explains every field)");
  }
  return *decoded.value;
}

}  // namespace assay::promote
