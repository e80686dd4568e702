#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>

#include <assay/task/python_syntax.hpp>

namespace assay::task {

namespace {

using Kind = PythonToken::Kind;

/// Recognises Python's expressions. Python's own parser does the same work; only the answer yes or no is kept.
class ExpressionParser {
 public:
  explicit ExpressionParser(const std::vector<PythonToken>& tokens) : tokens_(tokens) {}

  bool whole() {
    if (!list(Stars::refused, Walrus::refused)) {
      return false;
    }
    while (now().kind == Kind::newline) {
      ++at_;
    }
    return now().kind == Kind::end;
  }

  std::string place() const { return now().text.empty() ? std::string("its end") : fmt::format("\"{}\"", now().text); }

 private:
  enum class Stars : std::uint8_t { refused, allowed };
  enum class Walrus : std::uint8_t { refused, allowed };
  static constexpr int kDeepest = 200;

  const PythonToken& now() const { return tokens_[at_]; }
  bool take(std::string_view text) {
    if (now().is(text)) {
      ++at_;
      return true;
    }
    return false;
  }
  bool take_any(std::initializer_list<std::string_view> texts) {
    return std::any_of(texts.begin(), texts.end(), [this](std::string_view text) { return take(text); });
  }
  bool take_name() {
    if (now().kind == Kind::name) {
      ++at_;
      return true;
    }
    return false;
  }
  bool at_closing() const {
    return now().is(")") || now().is("]") || now().is("}") || now().kind == Kind::newline || now().kind == Kind::end;
  }

  bool element(Stars stars, Walrus walrus) {
    if (stars == Stars::allowed && take("*")) {
      return binary();
    }
    return expression(walrus);
  }

  // One or more elements with commas; a comma may trail.
  bool list(Stars stars, Walrus walrus) {
    do {
      if (!element(stars, walrus)) {
        return false;
      }
    } while (take(",") && !at_closing());
    return true;
  }

  bool expression(Walrus walrus = Walrus::refused) {
    if (++depth_ > kDeepest) {
      return false;
    }
    const bool good = take("lambda") ? lambda() : conditional(walrus);
    --depth_;
    return good;
  }

  bool conditional(Walrus walrus) {
    if (walrus == Walrus::allowed && now().kind == Kind::name && tokens_[at_ + 1].is(":=")) {
      at_ += 2;
      return expression();
    }
    if (!disjunction()) {
      return false;
    }
    if (!take("if")) {
      return true;
    }
    return disjunction() && take("else") && expression();
  }

  bool lambda() {
    while (!now().is(":")) {
      if (!take("/") && !(take("*") && (now().is(",") || take_name())) && !(take("**") && take_name())) {
        if (!take_name() || (take("=") && !expression())) {
          return false;
        }
      }
      if (!take(",") && !now().is(":")) {
        return false;
      }
    }
    return take(":") && expression();
  }

  bool disjunction() {
    do {
      if (!conjunction()) {
        return false;
      }
    } while (take("or"));
    return true;
  }

  bool conjunction() {
    do {
      while (take("not")) {
      }
      if (!comparison()) {
        return false;
      }
    } while (take("and"));
    return true;
  }

  bool comparison_operator() {
    if (take("not")) {
      return take("in");
    }
    if (take("is")) {
      take("not");
      return true;
    }
    return take_any({"==", "!=", "<", ">", "<=", ">=", "in"});
  }

  bool comparison() {
    do {
      if (!binary()) {
        return false;
      }
    } while (comparison_operator());
    return true;
  }

  // Precedence does not matter for acceptance: all binary operators but ** take operands of the same form.
  bool binary() {
    do {
      if (!unary()) {
        return false;
      }
    } while (take_any({"|", "^", "&", "<<", ">>", "+", "-", "*", "/", "//", "%", "@"}));
    return true;
  }

  bool unary() {
    do {
      while (take_any({"+", "-", "~"})) {
      }
      take("await");
      if (!primary()) {
        return false;
      }
    } while (take("**"));
    return true;
  }

  bool primary() {
    if (!atom()) {
      return false;
    }
    while (true) {
      if (take(".")) {
        if (!take_name()) {
          return false;
        }
      } else if (take("(")) {
        if (!arguments()) {
          return false;
        }
      } else if (take("[")) {
        if (!subscript()) {
          return false;
        }
      } else {
        return true;
      }
    }
  }

  bool atom() {
    if (now().kind == Kind::string) {
      while (now().kind == Kind::string) {
        ++at_;
      }
      return true;
    }
    if (now().kind == Kind::number || now().kind == Kind::name) {
      ++at_;
      return true;
    }
    if (take_any({"None", "True", "False", "..."})) {
      return true;
    }
    if (++depth_ > kDeepest) {
      return false;
    }
    const bool good = take("(") ? group(")") : (take("[") ? group("]") : take("{") && braces());
    --depth_;
    return good;
  }

  // After an element: the `for` clauses of a comprehension, if any.
  bool clauses() {
    while (now().is("for") || (now().is("async") && tokens_[at_ + 1].is("for"))) {
      take("async");
      take("for");
      if (!targets() || !take("in") || !disjunction()) {
        return false;
      }
      while (take("if")) {
        if (!disjunction()) {
          return false;
        }
      }
    }
    return true;
  }

  bool targets() {
    do {
      take("*");
      if (!primary()) {
        return false;
      }
    } while (take(",") && !now().is("in"));
    return true;
  }

  bool group(std::string_view closing) {
    if (take(closing)) {
      return true;
    }
    if (closing == ")" && take("yield")) {
      const bool good = take("from") ? expression() : (at_closing() || list(Stars::allowed, Walrus::refused));
      return good && take(closing);
    }
    const bool starred = now().is("*");
    if (!element(Stars::allowed, Walrus::allowed)) {
      return false;
    }
    if (now().is("for") || now().is("async")) {
      return !starred && clauses() && take(closing);
    }
    if (take(",")) {
      return (at_closing() || list(Stars::allowed, Walrus::allowed)) && take(closing);
    }
    return !(starred && closing == ")") && take(closing);
  }

  bool braces() {
    bool first = true;
    bool dictionary = false;
    while (!take("}")) {
      const bool double_star = take("**");
      if (double_star ? !binary() : !element(Stars::allowed, Walrus::allowed)) {
        return false;
      }
      const bool pair = !double_star && take(":");
      if (pair && !expression()) {
        return false;
      }
      if (first) {
        dictionary = pair || double_star;
      } else if (dictionary != (pair || double_star)) {
        return false;
      }
      if (first && (now().is("for") || now().is("async"))) {
        return clauses() && take("}");
      }
      first = false;
      if (!take(",") && !now().is("}")) {
        return false;
      }
    }
    return true;
  }

  bool arguments() {
    while (!take(")")) {
      if (take_any({"*", "**"})) {
        if (!expression()) {
          return false;
        }
      } else if (now().kind == Kind::name && tokens_[at_ + 1].is("=")) {
        at_ += 2;
        if (!expression()) {
          return false;
        }
      } else if (!expression(Walrus::allowed) || !clauses()) {
        return false;
      }
      if (!take(",") && !now().is(")")) {
        return false;
      }
    }
    return true;
  }

  bool slice() {
    if (now().is("*")) {
      return element(Stars::allowed, Walrus::refused);
    }
    bool any = false;
    for (int part = 0; part < 3; ++part) {
      if (!now().is(":") && !now().is(",") && !now().is("]")) {
        any = true;
        if (!expression(Walrus::allowed)) {
          return false;
        }
      }
      if (part == 2 || !take(":")) {
        return any || part > 0;
      }
    }
    return true;
  }

  bool subscript() {
    do {
      if (!slice()) {
        return false;
      }
    } while (take(",") && !now().is("]"));
    return take("]");
  }

  const std::vector<PythonToken>& tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::optional<std::string> check_python_expression(std::string_view text) {
  const auto [tokens, fault] = tokenise_python(text);
  if (fault) {
    return "is not a Python expression: " + *fault;
  }
  ExpressionParser parser(tokens);
  return parser.whole() ? std::nullopt
                        : std::optional("is not a Python expression: it cannot be read at " + parser.place());
}

}  // namespace assay::task
