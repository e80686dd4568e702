#include <assay/task/python_tree.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include <assay/task/python_syntax.hpp>

namespace assay::task {

namespace {

using TokenKind = PythonToken::Kind;
using NodeKind = PythonNode::Kind;

constexpr std::size_t kLongestConstraint = 4096;
constexpr int kDeepestConstraint = 64;

/// One method a level of precedence. After the first fault every method returns an empty node and consumes nothing.
class TreeParser {
 public:
  explicit TreeParser(const std::vector<PythonToken>& tokens) : tokens_(tokens) {}

  PythonTree run() {
    PythonNode root = expression();
    while (now().kind == TokenKind::newline) {
      ++at_;
    }
    if (now().kind != TokenKind::end) {
      fail();
    }
    if (!fault_.empty()) {
      return {std::nullopt, fault_};
    }
    return {std::move(root), {}};
  }

 private:
  [[nodiscard]] const PythonToken& now() const { return tokens_[at_]; }

  void fail() {
    if (fault_.empty()) {
      fault_ = now().text.empty() ? "it ends where Assay expects more"
                                  : fmt::format("\"{}\" is not evaluated here", now().text);
      at_ = tokens_.size() - 1;
    }
  }

  bool take(std::string_view text) {
    if (fault_.empty() && now().is(text)) {
      ++at_;
      return true;
    }
    return false;
  }

  template <std::size_t N>
  std::string_view take_any(const std::array<std::string_view, N>& texts) {
    const auto found = std::find_if(texts.begin(), texts.end(), [this](std::string_view text) { return take(text); });
    return found == texts.end() ? std::string_view() : *found;
  }

  static PythonNode node(NodeKind kind, std::string_view text, PythonNode first) {
    PythonNode result{kind, text, {}, {}};
    result.children.push_back(std::move(first));
    return result;
  }
  static PythonNode node(NodeKind kind, std::string_view text, PythonNode first, PythonNode second) {
    PythonNode result = node(kind, text, std::move(first));
    result.children.push_back(std::move(second));
    return result;
  }

  PythonNode expression() {
    if (++depth_ > kDeepestConstraint) {
      fault_ = fault_.empty() ? fmt::format("it is nested deeper than {} levels", kDeepestConstraint) : fault_;
      at_ = tokens_.size() - 1;
    }
    PythonNode value = fault_.empty() ? disjunction() : PythonNode{};
    if (take("if")) {
      PythonNode condition = disjunction();
      if (!take("else")) {
        fail();
      }
      value = node(NodeKind::conditional, "if", std::move(value), std::move(condition));
      value.children.push_back(expression());
    }
    --depth_;
    return value;
  }

  PythonNode disjunction() {
    PythonNode left = conjunction();
    while (take("or")) {
      left = node(NodeKind::binary, "or", std::move(left), conjunction());
    }
    return left;
  }

  PythonNode conjunction() {
    PythonNode left = negation();
    while (take("and")) {
      left = node(NodeKind::binary, "and", std::move(left), negation());
    }
    return left;
  }

  PythonNode negation() {
    if (!take("not")) {
      return comparison();
    }
    const Level level(*this);
    return node(NodeKind::unary, "not", fault_.empty() ? negation() : PythonNode{});
  }

  std::string_view relation() {
    static constexpr std::array<std::string_view, 7> kRelations = {"==", "!=", "<=", ">=", "<", ">", "in"};
    if (now().is("not") && at_ + 1 < tokens_.size() && tokens_[at_ + 1].is("in")) {
      at_ += 2;
      return "not in";
    }
    if (take("is")) {
      return take("not") ? "is not" : "is";
    }
    return take_any(kRelations);
  }

  PythonNode comparison() {
    PythonNode left = sum();
    std::string_view word = relation();
    if (word.empty()) {
      return left;
    }
    PythonNode chain = node(NodeKind::comparison, "", std::move(left));
    for (; !word.empty(); word = relation()) {
      chain.words.push_back(word);
      chain.children.push_back(sum());
    }
    return chain;
  }

  PythonNode sum() {
    static constexpr std::array<std::string_view, 2> kSums = {"+", "-"};
    PythonNode left = product();
    for (std::string_view word = take_any(kSums); !word.empty(); word = take_any(kSums)) {
      left = node(NodeKind::binary, word, std::move(left), product());
    }
    return left;
  }

  PythonNode product() {
    static constexpr std::array<std::string_view, 4> kProducts = {"*", "//", "/", "%"};
    PythonNode left = unary();
    for (std::string_view word = take_any(kProducts); !word.empty(); word = take_any(kProducts)) {
      left = node(NodeKind::binary, word, std::move(left), unary());
    }
    return left;
  }

  PythonNode unary() {
    static constexpr std::array<std::string_view, 2> kSigns = {"-", "+"};
    const std::string_view sign = take_any(kSigns);
    if (sign.empty()) {
      return power();
    }
    const Level level(*this);
    return node(NodeKind::unary, sign, fault_.empty() ? unary() : PythonNode{});
  }

  // Binds tighter than a sign on its left, and takes a signed exponent.
  PythonNode power() {
    PythonNode left = primary();
    if (!take("**")) {
      return left;
    }
    const Level level(*this);
    return node(NodeKind::binary, "**", std::move(left), fault_.empty() ? unary() : PythonNode{});
  }

  PythonNode primary() {
    PythonNode value = atom();
    while (fault_.empty()) {
      if (take(".")) {
        const std::string_view name = now().text;
        if (now().kind != TokenKind::name) {
          fail();
          break;
        }
        ++at_;
        value = node(NodeKind::attribute, name, std::move(value));
      } else if (take("[")) {
        value = node(NodeKind::subscript, "", std::move(value), expression());
        if (!take("]")) {
          fail();
        }
      } else if (take("(")) {
        value = node(NodeKind::call, "", std::move(value));
        elements(value.children, ")");
      } else {
        break;
      }
    }
    return value;
  }

  // Zero or more elements up to the closing bracket. Returns whether there was a comma.
  bool elements(std::vector<PythonNode>& children, std::string_view closing) {
    bool comma = false;
    while (fault_.empty() && !take(closing)) {
      children.push_back(expression());
      if (take(",")) {
        comma = true;
      } else if (!now().is(closing)) {
        fail();
      }
    }
    return comma;
  }

  PythonNode atom() {
    const PythonToken token = now();
    if (!fault_.empty()) {
      return {};
    }
    if (token.kind == TokenKind::number || token.kind == TokenKind::string || token.kind == TokenKind::name) {
      ++at_;
      const NodeKind kind = token.kind == TokenKind::number   ? NodeKind::number
                            : token.kind == TokenKind::string ? NodeKind::text
                                                              : NodeKind::name;
      return {kind, token.text, {}, {}};
    }
    static constexpr std::array<std::string_view, 3> kConstants = {"True", "False", "None"};
    if (const std::string_view word = take_any(kConstants); !word.empty()) {
      return {NodeKind::constant, word, {}, {}};
    }
    if (take("[") || take("(")) {
      PythonNode sequence{NodeKind::sequence, token.text, {}, {}};
      const bool comma = elements(sequence.children, token.text == "[" ? "]" : ")");
      if (token.text == "(" && !comma && sequence.children.size() == 1) {
        PythonNode inner = std::move(sequence.children.front());
        return inner;
      }
      return sequence;
    }
    fail();
    return {};
  }

  struct Level {
    explicit Level(TreeParser& owner) : parser(owner) {
      if (++parser.depth_ > kDeepestConstraint && parser.fault_.empty()) {
        parser.fault_ = fmt::format("it is nested deeper than {} levels", kDeepestConstraint);
      }
    }
    ~Level() { --parser.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    TreeParser& parser;
  };

  const std::vector<PythonToken>& tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string fault_;
};

}  // namespace

PythonTree parse_python_tree(std::string_view source) {
  if (source.size() > kLongestConstraint) {
    return {std::nullopt, fmt::format("it is longer than {} characters", kLongestConstraint)};
  }
  const PythonTokens tokens = tokenise_python(source);
  if (tokens.fault) {
    return {std::nullopt, *tokens.fault};
  }
  return TreeParser(tokens.tokens).run();
}

}  // namespace assay::task
