#include <algorithm>
#include <array>

#include <assay/base/text.hpp>
#include <assay/task/solution.hpp>

namespace assay::task {

namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r'; }
bool is_word(char c) {
  return base::is_digit(c) || c == '_' || c == '$' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         static_cast<unsigned char>(c) >= 0x80;
}

// Characters of which two side by side may be one operator, or begin a comment.
bool combines(char c) { return std::string_view("+-*/%&|^<>=!:.#").find(c) != std::string_view::npos; }

// Longest first, so that the first that fits is the one that the language takes.
constexpr std::array<std::string_view, 29> kPunctuators = {
    "%:%:", "<<=", ">>=", "<=>", "...", "->*", "##", "::", ".*", "->", "++", "--", "+=", "-=", "*=",
    "/=",   "%=",  "&=",  "|=",  "^=",  "<<",  ">>", "<=", ">=", "==", "!=", "&&", "||", "%:"};

// Names whose value is a line of the source.
constexpr std::array<std::string_view, 4> kLineNames = {"__LINE__", "__builtin_LINE", "source_location",
                                                        "__builtin_source_location"};

/// One pass over the source. Lines joined by a backslash are joined before anything else is looked at, as in the
/// language (and, as g++ and clang do, also if blanks follow the backslash); only raw strings keep theirs.
class Normaliser {
 public:
  enum class Blanks : std::uint8_t { folded, removed };

  Normaliser(std::string_view source, Blanks blanks) : source_(source), blanks_(blanks) {}

  std::string run() {
    while (skip_joins(), at_ < source_.size()) {
      token_begins_ = true;
      const std::size_t before = out_.size();
      step();
      if (out_.size() > before && !in_directive_) {
        const std::size_t begin = out_.find_first_not_of(" \n", before);
        code_ += last_ == Token::quoted ? "\"\"" : std::string_view(out_).substr(std::min(begin, out_.size()));
        code_ += ' ';
      }
    }
    return std::move(out_);
  }

  /// After run(): the tokens outside of directives with blanks between them; literals are empty.
  [[nodiscard]] std::string take_code() { return std::move(code_); }

  /// After run(): what of the layout the program itself can see.
  [[nodiscard]] LayoutUse layout_use() const {
    return sees_lines_ ? LayoutUse::lines : (stringises_ ? LayoutUse::blanks : LayoutUse::none);
  }

 private:
  enum class Token : std::uint8_t { none, word, number, quoted, other };

  static constexpr char kEnd = '\0';

  // Returns the end of a backslash-newline that begins at `at`, or `at` itself.
  std::size_t join_end(std::size_t at) const {
    if (at >= source_.size() || source_[at] != '\\') {
      return at;
    }
    std::size_t end = at + 1;
    while (end < source_.size() && is_space(source_[end])) {
      ++end;
    }
    return end < source_.size() && source_[end] == '\n' ? end + 1 : at;
  }

  void skip_joins() { at_ = after_joins(at_); }
  std::size_t after_joins(std::size_t at) const {
    for (std::size_t end = join_end(at); end != at; end = join_end(at)) {
      at = end;
    }
    return at;
  }

  // Looks at the current character, or the one after it, through joined lines.
  char peek() const { return at_ < source_.size() ? source_[at_] : kEnd; }
  char peek_next() const {
    const std::size_t next = after_joins(at_ + 1);
    return next < source_.size() ? source_[next] : kEnd;
  }
  bool more() const { return at_ < source_.size(); }
  void advance() {
    ++at_;
    skip_joins();
  }
  void copy() {
    emit(peek());
    advance();
  }

  // Writes a character of a token, and before it whatever stands between it and the last one.
  void emit(char c) {
    name_due_ = false;
    if (pending_line_ && !out_.empty()) {
      end_line();
    } else if (blank_due(c)) {
      out_ += ' ';
    }
    pending_line_ = false;
    pending_space_ = false;
    line_start_ = false;
    token_begins_ = false;
    out_ += c;
  }

  // In a directive a blank may decide what is defined; elsewhere it only keeps tokens apart, and stands wherever two
  // tokens would merge, so that one sequence of tokens has one form.
  bool blank_due(char c) const {
    if (out_.empty() || out_.back() == '\n') {
      return false;
    }
    if (blanks_ == Blanks::folded || in_directive_) {
      return pending_space_;
    }
    const char before = out_.back();
    const bool quote = c == '"' || c == '\'';
    if (before == '\\' || c == '\\' || (last_ == Token::quoted && is_word(c)) ||
        (quote && (last_ == Token::word || last_ == Token::number))) {
      return pending_space_;  // A prefix or a suffix is one token with its literal.
    }
    if (!token_begins_ || quote || last_ == Token::quoted) {
      return false;
    }
    if (last_ == Token::word || last_ == Token::number) {
      const bool exponent = before == 'e' || before == 'E' || before == 'p' || before == 'P';
      return is_word(c) || (last_ == Token::number && (c == '.' || (exponent && (c == '+' || c == '-'))));
    }
    return (before == '.' && base::is_digit(c)) || (combines(before) && combines(c));
  }

  // A stray backslash before a line's end, with blanks between or not, would join lines when read again; the empty
  // comment keeps them apart.
  void end_line() {
    const auto last = std::find_if_not(out_.rbegin(), out_.rend(), is_space);
    if (last != out_.rend() && *last == '\\') {
      out_ += "/**/";
    }
    if (out_.back() != '\n') {
      out_ += '\n';
    }
  }

  void step() {
    const char c = peek();
    if (c == '\n') {
      newline();
    } else if (is_space(c)) {
      pending_space_ = true;
      advance();
    } else if (c == '/' && peek_next() == '/') {
      line_comment();
    } else if (c == '/' && peek_next() == '*') {
      block_comment();
    } else if (line_start_ && (c == '#' || (c == '%' && peek_next() == ':'))) {
      directive();
    } else if (c == '"' || c == '\'') {
      quoted(c);
      last_ = Token::quoted;
    } else if (base::is_digit(c) || (c == '.' && base::is_digit(peek_next()))) {
      number();
      last_ = Token::number;
    } else if (is_word(c)) {
      last_ = word();
    } else if (c == '<' && header_due_) {
      header();
      last_ = Token::other;
    } else {
      header_due_ = false;
      operator_token();
      last_ = Token::other;
    }
  }

  // The next characters, through joined lines.
  std::string ahead(std::size_t count) const {
    std::string text;
    for (std::size_t at = at_; at < source_.size() && text.size() < count; at = after_joins(at + 1)) {
      text += source_[at];
    }
    return text;
  }

  void operator_token() {
    const std::string next = ahead(4);
    const auto found = std::find_if(kPunctuators.begin(), kPunctuators.end(),
                                    [&next](std::string_view candidate) { return next.starts_with(candidate); });
    const std::size_t size = found == kPunctuators.end() ? 1 : found->size();
    stringises_ = stringises_ || (in_directive_ && (next.substr(0, size) == "#" || next.substr(0, size) == "%:"));
    for (std::size_t i = 0; i < size; ++i) {
      copy();
    }
  }

  void newline() {
    if (in_directive_) {
      pending_line_ = true;
    }
    in_directive_ = false;
    name_due_ = false;
    header_due_ = false;
    pending_space_ = true;
    line_start_ = true;
    advance();
  }

  void line_comment() {
    while (more() && peek() != '\n') {
      advance();
    }
    pending_space_ = true;
  }

  void block_comment() {
    advance();
    advance();
    while (more() && !(peek() == '*' && peek_next() == '/')) {
      advance();
    }
    advance();
    advance();
    at_ = std::min(at_, source_.size());
    pending_space_ = true;
  }

  void directive() {
    pending_line_ = true;
    in_directive_ = true;
    last_ = Token::other;
    if (peek() == '%') {
      copy();
    }
    copy();
    name_due_ = true;
  }

  // The name in #include <…> is no source text: "//" in it is no comment.
  void header() {
    while (more() && peek() != '\n' && peek() != '>') {
      copy();
    }
    header_due_ = false;
  }

  // A string or a character; unterminated, it runs to the end of its line, which is then kept.
  void quoted(char quote) {
    header_due_ = false;
    copy();
    while (more() && peek() != quote && peek() != '\n') {
      if (peek() == '\\' && peek_next() != '\n') {
        copy();
      }
      if (more()) {
        copy();
      }
    }
    if (peek() == quote) {
      copy();
    } else {
      pending_line_ = true;
    }
  }

  // A preprocessing number: 1'000, 0x1p-3, 1.5e+3f. A quote belongs to it only before a further digit or letter.
  void number() {
    while (more()) {
      const char c = peek();
      const bool exponent = c == 'e' || c == 'E' || c == 'p' || c == 'P';
      if (exponent && (peek_next() == '+' || peek_next() == '-')) {
        copy();
        copy();
      } else if (is_word(c) || c == '.' || (c == '\'' && is_word(peek_next()))) {
        copy();
      } else {
        return;
      }
    }
  }

  Token word() {
    const bool directive_name = name_due_;
    std::string name;
    while (more() && is_word(peek())) {
      name += peek();
      copy();
    }
    constexpr std::array<std::string_view, 4> kInclude = {"include", "include_next", "import", "embed"};
    header_due_ = directive_name && std::find(kInclude.begin(), kInclude.end(), name) != kInclude.end();
    sees_lines_ = sees_lines_ || std::find(kLineNames.begin(), kLineNames.end(), name) != kLineNames.end();
    constexpr std::array<std::string_view, 5> kRaw = {"R", "LR", "uR", "UR", "u8R"};
    if (peek() == '"' && std::find(kRaw.begin(), kRaw.end(), name) != kRaw.end()) {
      raw_string();
      return Token::quoted;
    }
    return Token::word;
  }

  // Copied byte by byte: neither comments nor joined lines exist inside. One that is ill-formed has no known end: the
  // rest of the source is kept as it is.
  void raw_string() {
    constexpr std::size_t kLongestDelimiter = 16;
    const std::size_t open = std::min(source_.find('(', at_), source_.size());
    const std::string_view delimiter = source_.substr(at_ + 1, open - at_ - 1);
    std::size_t end = source_.size();
    if (delimiter.size() <= kLongestDelimiter &&
        delimiter.find_first_of(" )\\\t\v\f\r\n\"") == std::string_view::npos) {
      const std::string closing = ")" + std::string(delimiter) + "\"";
      const std::size_t close = source_.find(closing, open);
      end = close == std::string_view::npos ? source_.size() : close + closing.size();
    }
    out_ += source_.substr(at_, end - at_);
    at_ = end;
    skip_joins();
  }

  std::string_view source_;
  Blanks blanks_;
  std::string out_;
  std::string code_;
  std::size_t at_ = 0;
  bool line_start_ = true;
  bool in_directive_ = false;
  bool name_due_ = false;    ///< The next word names the directive.
  bool header_due_ = false;  ///< The next token may be the <…> of an #include.
  bool pending_space_ = false;
  bool pending_line_ = false;
  bool token_begins_ = false;
  Token last_ = Token::none;
  bool stringises_ = false;
  bool sees_lines_ = false;
};

}  // namespace

LayoutUse layout_use(std::string_view source) {
  Normaliser normaliser(source, Normaliser::Blanks::folded);
  static_cast<void>(normaliser.run());
  return normaliser.layout_use();
}

std::string plain_code(std::string_view source) {
  Normaliser normaliser(source, Normaliser::Blanks::folded);
  static_cast<void>(normaliser.run());
  return normaliser.take_code();
}

std::string normalise_source(std::string_view source, LayoutUse use) {
  if (use == LayoutUse::lines) {
    return std::string(source);
  }
  return Normaliser(source, use == LayoutUse::none ? Normaliser::Blanks::removed : Normaliser::Blanks::folded).run();
}

std::string normalise_source(std::string_view source) { return normalise_source(source, layout_use(source)); }

}  // namespace assay::task
