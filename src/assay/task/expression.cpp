#include <assay/task/expression.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include <assay/base/text.hpp>
#include <assay/task/integer_arithmetic.hpp>

namespace assay::task {

namespace {

constexpr std::size_t kLongest = 4096;
constexpr int kDeepest = 64;

bool is_name_start(char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_name(char c) { return is_name_start(c) || base::is_digit(c); }

/// Parses and evaluates in one pass, one method a level of precedence. A branch that Python would not evaluate is
/// parsed with `live` off. After the first fault every method returns 0 and consumes nothing more.
class Evaluator {
 public:
  Evaluator(std::string_view text, const Named<std::int64_t>* values) : text_(text), values_(values) {}

  base::Result<std::int64_t> run() {
    if (text_.size() > kLongest) {
      fail("expression.length", fmt::format("is longer than {} characters", kLongest));
    }
    const std::int64_t value = disjunction(values_ != nullptr);
    skip_space();
    if (!fault_ && at_ < text_.size()) {
      fail_here();
    }
    if (fault_) {
      return tl::unexpected(*fault_);
    }
    return value;
  }

 private:
  void fail(std::string code, std::string_view what) {
    if (!fault_) {
      fault_ = base::Error{base::Owner::input,
                           std::move(code),
                           fmt::format("expression \"{}\" {} at column {}", base::printable(text_.substr(0, 200)), what,
                                       std::min(token_, text_.size()) + 1),
                           {}};
      at_ = text_.size();
    }
  }

  void fail_here() {
    skip_space();
    token_ = at_;
    if (at_ >= text_.size()) {
      fail("expression.syntax", "ends too early");
      return;
    }
    const std::string_view rest = text_.substr(at_);
    if (rest.front() == '/') {
      fail("expression.syntax", "divides with '/', which has no integer value: use '//'");
    } else if (rest.front() == '=') {
      fail("expression.syntax", "has '=': use '==' to compare");
    } else {
      fail("expression.syntax",
           "cannot be read (names, integers, + - * // % **, comparisons, and, or, not, min, max, ceil_div)");
    }
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) {
      ++at_;
    }
  }

  // Takes an operator, unless a longer one that begins with it stands there.
  bool take(std::string_view op, std::string_view not_before = "") {
    skip_space();
    const std::string_view rest = text_.substr(at_);
    if (fault_ || !rest.starts_with(op)) {
      return false;
    }
    const char after = rest.size() > op.size() ? rest[op.size()] : '\0';
    if (after != '\0' && not_before.find(after) != std::string_view::npos) {
      return false;
    }
    token_ = at_;
    at_ += op.size();
    return true;
  }

  bool take_word(std::string_view word) {
    skip_space();
    const std::string_view rest = text_.substr(at_);
    if (fault_ || !rest.starts_with(word) || (rest.size() > word.size() && is_name(rest[word.size()]))) {
      return false;
    }
    token_ = at_;
    at_ += word.size();
    return true;
  }

  struct Level {
    explicit Level(Evaluator& owner) : evaluator(owner) {
      if (++evaluator.depth_ > kDeepest) {
        evaluator.token_ = evaluator.at_;
        evaluator.fail("expression.depth", fmt::format("is nested deeper than {} levels", kDeepest));
      }
    }
    ~Level() { --evaluator.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    Evaluator& evaluator;
  };

  std::int64_t overflow() {
    fail("expression.overflow", "does not fit in 64 bits");
    return 0;
  }

  // `or` and `and` return an operand, as in Python.
  std::int64_t disjunction(bool live) {
    std::int64_t value = conjunction(live);
    while (take_word("or")) {
      const bool evaluate_right = live && value == 0;
      const std::int64_t right = conjunction(evaluate_right);
      value = evaluate_right ? right : value;
    }
    return value;
  }

  std::int64_t conjunction(bool live) {
    std::int64_t value = negation(live);
    while (take_word("and")) {
      const bool evaluate_right = live && value != 0;
      const std::int64_t right = negation(evaluate_right);
      value = evaluate_right ? right : value;
    }
    return value;
  }

  std::int64_t negation(bool live) {
    if (!take_word("not")) {
      return comparison(live);
    }
    const Level level(*this);
    return fault_ ? 0 : (negation(live) == 0 ? 1 : 0);
  }

  enum class Relation : std::uint8_t { none, equal, unequal, less, less_equal, greater, greater_equal };

  Relation relation() {
    if (take("==")) {
      return Relation::equal;
    }
    if (take("!=")) {
      return Relation::unequal;
    }
    if (take("<=")) {
      return Relation::less_equal;
    }
    if (take(">=")) {
      return Relation::greater_equal;
    }
    if (take("<", "<>")) {
      return Relation::less;
    }
    return take(">", ">") ? Relation::greater : Relation::none;
  }

  static bool holds(Relation relation, std::int64_t left, std::int64_t right) {
    switch (relation) {
      case Relation::equal:
        return left == right;
      case Relation::unequal:
        return left != right;
      case Relation::less:
        return left < right;
      case Relation::less_equal:
        return left <= right;
      case Relation::greater:
        return left > right;
      case Relation::greater_equal:
        return left >= right;
      case Relation::none:
        break;
    }
    return false;
  }

  // a < b < c is (a < b) and (b < c), b evaluated once.
  std::int64_t comparison(bool live) {
    std::int64_t left = sum(live);
    bool chained = false;
    bool true_so_far = true;
    for (Relation op = relation(); op != Relation::none; op = relation()) {
      chained = true;
      const std::int64_t right = sum(live && true_so_far);
      true_so_far = true_so_far && holds(op, left, right);
      left = right;
    }
    return chained ? (true_so_far ? 1 : 0) : left;
  }

  std::int64_t sum(bool live) {
    std::int64_t value = product(live);
    while (!fault_) {
      const bool plus = take("+");
      if (!plus && !take("-")) {
        break;
      }
      const std::size_t place = token_;
      const std::int64_t right = product(live);
      token_ = place;
      if (!live) {
        value = 0;
        continue;
      }
      const bool failed =
          plus ? __builtin_add_overflow(value, right, &value) : __builtin_sub_overflow(value, right, &value);
      if (failed && !fault_) {
        return overflow();
      }
    }
    return value;
  }

  std::int64_t product(bool live) {
    std::int64_t value = unary(live);
    while (!fault_) {
      const bool times = take("*", "*");
      const bool quotient = !times && take("//");
      if (!times && !quotient && !take("%")) {
        break;
      }
      const std::size_t place = token_;
      const std::int64_t right = unary(live);
      token_ = place;
      if (fault_ || !live) {
        value = 0;
      } else if (times) {
        if (__builtin_mul_overflow(value, right, &value)) {
          return overflow();
        }
      } else {
        value = divide(quotient, value, right);
      }
    }
    return value;
  }

  // Takes what an operation gave, or reports that it gave nothing.
  std::int64_t checked(const std::optional<std::int64_t>& value) { return value ? *value : overflow(); }

  std::int64_t divide(bool quotient, std::int64_t left, std::int64_t right) {
    if (right == 0) {
      fail("expression.division", "divides by zero");
      return 0;
    }
    return quotient ? checked(floor_quotient(left, right)) : floor_remainder(left, right);
  }

  std::int64_t unary(bool live) {
    if (take("-")) {
      const Level level(*this);
      const std::size_t place = token_;
      const std::int64_t operand = fault_ ? 0 : unary(live);
      token_ = place;
      std::int64_t negated = 0;
      return __builtin_sub_overflow(std::int64_t{0}, operand, &negated) ? overflow() : negated;
    }
    if (take("+")) {
      const Level level(*this);
      return fault_ ? 0 : unary(live);
    }
    return power(live);
  }

  // Binds tighter than a sign on its left, and takes a signed exponent: -2 ** -1 is -(2 ** (-1)).
  std::int64_t power(bool live) {
    const std::int64_t left = atom(live);
    if (!take("**")) {
      return left;
    }
    const Level level(*this);
    const std::size_t place = token_;
    const std::int64_t exponent = fault_ ? 0 : unary(live);
    token_ = place;
    if (fault_ || !live) {
      return 0;
    }
    if (exponent < 0) {
      fail("expression.exponent", "has a negative exponent, which has no integer value");
      return 0;
    }
    return checked(integer_power(left, exponent));
  }

  std::int64_t atom(bool live) {
    skip_space();
    if (fault_ || at_ >= text_.size()) {
      fail_here();
      return 0;
    }
    token_ = at_;
    const char c = text_[at_];
    if (base::is_digit(c)) {
      return literal();
    }
    if (is_name_start(c)) {
      return name(live);
    }
    if (take("(")) {
      const Level level(*this);
      const std::int64_t value = fault_ ? 0 : disjunction(live);
      if (!take(")")) {
        fail_here();
      }
      return value;
    }
    fail_here();
    return 0;
  }

  std::int64_t literal() {
    std::int64_t value = 0;
    const std::size_t begin = at_;
    for (; at_ < text_.size() && (base::is_digit(text_[at_]) || text_[at_] == '_'); ++at_) {
      if (text_[at_] == '_') {
        if (at_ + 1 >= text_.size() || !base::is_digit(text_[at_ + 1])) {
          fail_here();
          return 0;
        }
        continue;
      }
      if (__builtin_mul_overflow(value, std::int64_t{10}, &value) ||
          __builtin_add_overflow(value, std::int64_t{text_[at_] - '0'}, &value)) {
        return overflow();
      }
    }
    const bool leading_zero = text_[begin] == '0' && value != 0;
    if (leading_zero || (at_ < text_.size() && (is_name_start(text_[at_]) || text_[at_] == '.'))) {
      fail("expression.syntax", "has a number that is no decimal integer");
    }
    return value;
  }

  std::int64_t name(bool live) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name(text_[at_])) {
      ++at_;
    }
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word == "True" || word == "False") {
      return word == "True" ? 1 : 0;
    }
    if ((word == "min" || word == "max") && take("(")) {
      return extremum(live, word == "max");
    }
    if (word == "ceil_div" && take("(")) {
      return ceiling_quotient(live);
    }
    token_ = begin;
    constexpr std::string_view kReserved[] = {"and", "or", "not", "if", "else", "in", "is", "lambda", "None", "for"};
    if (std::find(std::begin(kReserved), std::end(kReserved), word) != std::end(kReserved)) {
      at_ = begin;
      fail_here();
      return 0;
    }
    if (values_ == nullptr) {
      return 0;
    }
    const std::int64_t* value = find(*values_, word);
    if (value == nullptr) {
      fail("expression.name", fmt::format("uses \"{}\", which has no value,", word));
    }
    return value != nullptr && live ? *value : 0;
  }

  std::int64_t extremum(bool live, bool largest) {
    const Level level(*this);
    std::int64_t best = fault_ ? 0 : disjunction(live);
    int count = 1;
    while (take(",")) {
      const std::int64_t other = disjunction(live);
      best = largest ? std::max(best, other) : std::min(best, other);
      ++count;
    }
    if (!take(")") || count < 2) {
      fail_here();
    }
    return best;
  }

  std::int64_t ceiling_quotient(bool live) {
    const Level level(*this);
    const std::int64_t left = fault_ ? 0 : disjunction(live);
    const bool has_both = take(",");
    const std::int64_t right = has_both ? disjunction(live) : 0;
    if (!has_both || !take(")")) {
      fail_here();
    }
    if (fault_ || !live) {
      return 0;
    }
    const std::int64_t quotient = divide(true, left, right);
    return !fault_ && floor_remainder(left, right) != 0 ? quotient + 1
                                                        : quotient;  // Which has room: it was rounded down.
  }

  std::string_view text_;
  const Named<std::int64_t>* values_;  ///< Null: syntax alone.
  std::size_t at_ = 0;
  std::size_t token_ = 0;  ///< Where the token begins that a fault is about.
  int depth_ = 0;
  std::optional<base::Error> fault_;
};

}  // namespace

base::Result<std::int64_t> evaluate_expression(std::string_view expression, const Named<std::int64_t>& values) {
  return Evaluator(expression, &values).run();
}

base::Result<void> check_expression(std::string_view expression) {
  ASSAY_TRY(Evaluator(expression, nullptr).run());
  return {};
}

}  // namespace assay::task
