#include <fmt/core.h>

#include <algorithm>
#include <array>

#include <assay/task/python_syntax.hpp>

namespace assay::task {

namespace {

using Kind = PythonToken::Kind;

constexpr std::array<std::string_view, 35> kKeywords = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};

// Longest first, so that the first that fits is the right one.
constexpr std::array<std::string_view, 47> kOperators = {
    "**=", "//=", ">>=", "<<=", "...", "!=", "**", "//", ">>", "<<", "<=", ">=", "==", "->", "+=", "-=",
    "*=",  "/=",  "%=",  "@=",  "&=",  "|=", "^=", ":=", "+",  "-",  "*",  "/",  "%",  "@",  "&",  "|",
    "^",   "~",   "<",   ">",   "(",   ")",  "[",  "]",  "{",  "}",  ",",  ":",  ".",  ";",  "="};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool starts_python_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool is_in_python_name(char c) { return starts_python_name(c) || is_digit(c); }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

class Tokeniser {
 public:
  explicit Tokeniser(std::string_view source) : source_(source) {}

  PythonTokens run() {
    while (!result_.fault && at_ < source_.size()) {
      if (line_start_) {
        start_line();
      } else {
        next();
      }
    }
    if (!result_.fault) {
      finish();
    }
    return std::move(result_);
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }
  void fail(std::string_view what) { result_.fault = fmt::format("line {}: {}", line_, what); }
  void push(Kind kind, std::size_t begin) {
    result_.tokens.push_back({kind, source_.substr(begin, at_ - begin), line_});
  }

  // Measures the indentation of a line that holds anything, and turns changes into tokens.
  void start_line() {
    std::size_t width = 0;
    while (peek() == ' ' || peek() == '\t' || peek() == '\f') {
      width = peek() == '\t' ? (width / 8 + 1) * 8 : (peek() == '\f' ? 0 : width + 1);
      ++at_;
    }
    line_start_ = false;
    if (at_ == source_.size() || peek() == '#' || peek() == '\n' || peek() == '\r') {
      return;
    }
    if (width > indents_.back()) {
      indents_.push_back(width);
      push(Kind::indent, at_);
    }
    while (width < indents_.back()) {
      indents_.pop_back();
      push(Kind::dedent, at_);
    }
    if (width != indents_.back()) {
      fail("the indentation fits no outer block");
    }
  }

  void end_of_line() {
    if (peek() == '\r' && peek(1) == '\n') {
      ++at_;
    }
    ++at_;
    if (brackets_.empty()) {
      if (!result_.tokens.empty() && !is_layout(result_.tokens.back().kind)) {
        push(Kind::newline, at_);
      }
      line_start_ = true;
    }
    ++line_;
  }

  static bool is_layout(Kind kind) { return kind == Kind::newline || kind == Kind::indent || kind == Kind::dedent; }

  void next() {
    const char c = peek();
    if (c == '\n' || c == '\r') {
      end_of_line();
    } else if (c == ' ' || c == '\t' || c == '\f') {
      ++at_;
    } else if (c == '#') {
      at_ = std::min(source_.find_first_of("\r\n", at_), source_.size());
    } else if (c == '\\') {
      continuation();
    } else if (starts_python_name(c)) {
      name();
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      number();
    } else if (c == '"' || c == '\'') {
      string(at_);
    } else {
      op();
    }
  }

  void continuation() {
    const std::size_t newline = peek(1) == '\r' && peek(2) == '\n' ? 2 : 1;
    if (peek(newline) != '\n' && peek(newline) != '\r') {
      fail("a backslash that does not end its line");
      return;
    }
    at_ += newline + 1;
    ++line_;
    if (at_ == source_.size()) {
      fail("the source ends after a backslash");
    }
  }

  void name() {
    const std::size_t begin = at_;
    while (is_in_python_name(peek())) {
      ++at_;
    }
    const std::string_view text = source_.substr(begin, at_ - begin);
    const bool prefix = text.size() <= 2 && text.find_first_not_of("rRbBuUfF") == std::string_view::npos;
    if (prefix && (peek() == '"' || peek() == '\'')) {
      string(begin);
      return;
    }
    const bool keyword = std::find(kKeywords.begin(), kKeywords.end(), text) != kKeywords.end();
    push(keyword ? Kind::keyword : Kind::name, begin);
  }

  // Consumes digits of a kind, with single underscores between them.
  template <class IsDigit>
  bool digits(IsDigit is_kind) {
    const std::size_t begin = at_;
    while (is_kind(peek()) || (peek() == '_' && at_ > begin && peek(1) != '_' && is_kind(peek(1)))) {
      ++at_;
    }
    return at_ > begin;
  }

  void number() {
    const std::size_t begin = at_;
    const char base = static_cast<char>(peek(1) | 0x20);
    bool good = true;
    if (peek() == '0' && (base == 'x' || base == 'o' || base == 'b')) {
      at_ += peek(2) == '_' ? 3U : 2U;
      good = digits([base](char c) { return base == 'x' ? is_hex(c) : c >= '0' && c <= (base == 'o' ? '7' : '1'); });
    } else {
      good = decimal(begin);
    }
    const std::size_t word = at_;
    while (good && is_in_python_name(peek())) {
      ++at_;
    }
    const std::string_view suffix = source_.substr(word, at_ - word);
    at_ = word;
    constexpr std::array<std::string_view, 8> kFollow = {"", "and", "else", "for", "if", "in", "is", "or"};
    if (!good || std::find(kFollow.begin(), kFollow.end(), suffix) == kFollow.end()) {
      fail("a malformed number");
      return;
    }
    push(Kind::number, begin);
  }

  bool decimal(std::size_t begin) {
    digits(is_digit);
    const std::string_view whole = source_.substr(begin, at_ - begin);
    bool integer = true;
    if (peek() == '.') {
      integer = false;
      ++at_;
      digits(is_digit);
    }
    const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
    if ((peek() == 'e' || peek() == 'E') && is_digit(peek(1 + sign))) {
      integer = false;
      at_ += 1 + sign;
      digits(is_digit);
    }
    if (peek() == 'j' || peek() == 'J') {
      integer = false;
      ++at_;
    }
    const bool leading_zero = whole.size() > 1 && whole.front() == '0';
    return !integer || !leading_zero || whole.find_first_not_of("0_") == std::string_view::npos;
  }

  void string(std::size_t begin) {
    const char quote = peek();
    const int first_line = line_;
    const bool triple = peek(1) == quote && peek(2) == quote;
    const std::string closing(triple ? 3 : 1, quote);
    at_ += closing.size();
    while (at_ < source_.size() && source_.compare(at_, closing.size(), closing) != 0) {
      const char c = peek();
      if (c == '\n' && !triple) {
        break;
      }
      line_ += c == '\n' ? 1 : 0;
      if (c == '\\' && at_ + 1 < source_.size()) {
        ++at_;
        at_ += peek() == '\r' && peek(1) == '\n' ? 1U : 0U;
        line_ += peek() == '\n' ? 1 : 0;
      }
      ++at_;
    }
    if (at_ >= source_.size() || source_.compare(at_, closing.size(), closing) != 0) {
      line_ = first_line;
      fail("a string that is not closed");
      return;
    }
    at_ += closing.size();
    push(Kind::string, begin);
  }

  void op() {
    const std::string_view rest = source_.substr(at_);
    const auto place = std::find_if(kOperators.begin(), kOperators.end(),
                                    [rest](std::string_view candidate) { return rest.starts_with(candidate); });
    if (place == kOperators.end()) {
      fail("a character that Python does not have here");
      return;
    }
    const char c = peek();
    if (place->size() == 1 && (c == '(' || c == '[' || c == '{')) {
      brackets_.push_back(c);
    } else if (place->size() == 1 && (c == ')' || c == ']' || c == '}')) {
      const char opening = c == ')' ? '(' : (c == ']' ? '[' : '{');
      if (brackets_.empty() || brackets_.back() != opening) {
        fail(fmt::format("'{}' closes nothing", c));
        return;
      }
      brackets_.pop_back();
    }
    at_ += place->size();
    push(Kind::op, at_ - place->size());
  }

  void finish() {
    if (!brackets_.empty()) {
      fail(fmt::format("'{}' is not closed", brackets_.back()));
      return;
    }
    if (!result_.tokens.empty() && !is_layout(result_.tokens.back().kind)) {
      push(Kind::newline, at_);
    }
    for (std::size_t i = 1; i < indents_.size(); ++i) {
      push(Kind::dedent, at_);
    }
    push(Kind::end, at_);
  }

  std::string_view source_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool line_start_ = true;
  std::vector<std::size_t> indents_ = {0};
  std::vector<char> brackets_;
  PythonTokens result_;
};

}  // namespace

PythonTokens tokenise_python(std::string_view source) { return Tokeniser(source).run(); }

}  // namespace assay::task
