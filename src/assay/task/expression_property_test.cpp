#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <rapidcheck.h>
#include <string>

#include <assay/task/expression.hpp>
#include <assay/task/python_syntax.hpp>

// Random expressions against a second evaluator: each is made as a text together with its value, computed in 128 bits
// while it is made. Nothing is parsed there, so precedence and associativity are tested too.
namespace assay::task {
namespace {

__extension__ typedef __int128 Wide;

struct Made {
  std::string text;
  Wide value = 0;
  bool defined = true;  ///< False once a step left 64 bits or divided by zero.
};

const Named<std::int64_t> kNames = {{"N", 7}, {"M", -3}, {"zero", 0}, {"BLOCK_V", 64}};

Made settle(Made made) {
  made.defined = made.defined && made.value >= std::numeric_limits<std::int64_t>::min() &&
                 made.value <= std::numeric_limits<std::int64_t>::max();
  return made;
}

Wide floor_divide(Wide left, Wide right) {
  const Wide quotient = left / right;
  return quotient * right != left && (left < 0) != (right < 0) ? quotient - 1 : quotient;
}

Made leaf() {
  if (*rc::gen::arbitrary<bool>()) {
    const auto& [name, value] = *rc::gen::elementOf(kNames);
    return {name, value, true};
  }
  const auto number = *rc::gen::inRange<std::int64_t>(0, 100);
  return {std::to_string(number), number, true};
}

Made make(int depth);

// Sums and products are written without parentheses where the grammar needs none: a product's operands are in
// parentheses, a sum's are products.
Made make_product(int depth) {
  const Made left = make(depth - 1);
  const Made right = make(depth - 1);
  const auto op = *rc::gen::element<std::string>("*", "//", "%");
  Made made{"(" + left.text + ") " + op + " (" + right.text + ")", 0, left.defined && right.defined};
  if (op != "*" && right.value == 0) {
    made.defined = false;
  } else if (made.defined) {
    made.value = op == "*" ? left.value * right.value : floor_divide(left.value, right.value);
    made.value = op == "%" ? left.value - made.value * right.value : made.value;
  }
  return settle(made);
}

Made make_sum(int depth) {
  Made made = make_product(depth);
  for (int terms = *rc::gen::inRange(0, 3); terms > 0; --terms) {
    const Made right = make_product(depth);
    const bool plus = *rc::gen::arbitrary<bool>();
    made.text += (plus ? " + " : "-") + right.text;
    made.value += plus ? right.value : -right.value;
    made.defined = made.defined && right.defined;
    made = settle(made);
  }
  return made;
}

Made make_comparison(int depth) {
  const Made left = make_sum(depth);
  const Made right = make_sum(depth);
  const auto op = *rc::gen::element<std::string>("<", "<=", "==", "!=", ">", ">=");
  const bool holds = op == "<"    ? left.value < right.value
                     : op == "<=" ? left.value <= right.value
                     : op == "==" ? left.value == right.value
                     : op == "!=" ? left.value != right.value
                     : op == ">"  ? left.value > right.value
                                  : left.value >= right.value;
  return {left.text + op + right.text, holds ? 1 : 0, left.defined && right.defined};
}

// The right side of a decided `and` or `or` may be undefined: Python does not look at it.
Made make_logic(int depth) {
  const Made left = make_comparison(depth);
  const Made right = make_comparison(depth);
  const bool conjunction = *rc::gen::arbitrary<bool>();
  const bool decided = conjunction ? left.value == 0 : left.value != 0;
  return {left.text + (conjunction ? " and " : " or ") + right.text, decided ? left.value : right.value,
          left.defined && (decided || right.defined)};
}

Made make_call(int depth) {
  const Made left = make(depth - 1);
  const Made right = make(depth - 1);
  const bool largest = *rc::gen::arbitrary<bool>();
  return {(largest ? "max(" : "min(") + left.text + ", " + right.text + ")",
          largest ? std::max(left.value, right.value) : std::min(left.value, right.value),
          left.defined && right.defined};
}

Made make(int depth) {
  if (depth <= 0) {
    return leaf();
  }
  switch (*rc::gen::inRange(0, 6)) {
    case 0:
      return make_sum(depth);
    case 1:
      return make_comparison(depth);
    case 2:
      return make_logic(depth);
    case 3:
      return make_call(depth);
    case 4: {
      const Made operand = make(depth - 1);
      return settle({"-(" + operand.text + ")", -operand.value, operand.defined});
    }
    default: {
      const Made operand = make(depth - 1);
      return {"not (" + operand.text + ")", operand.value == 0 ? 1 : 0, operand.defined};
    }
  }
}

TEST(ExpressionProperty, AgreesWithASecondEvaluator) {
  int defined = 0;
  EXPECT_TRUE(rc::check("evaluation", [&defined] {
    const Made made = make(*rc::gen::inRange(0, 4));  // Deep ones divide by zero or overflow more often than not.
    RC_PRE(made.text.size() <= 4096);
    const auto result = evaluate_expression(made.text, kNames);
    RC_ASSERT(result.has_value() == made.defined);
    if (result) {
      RC_ASSERT(Wide{*result} == made.value);
      ++defined;
    } else {
      RC_ASSERT((result.error().code == "expression.division" || result.error().code == "expression.overflow"));
    }
    RC_ASSERT(check_expression(made.text).has_value());
    RC_ASSERT(!check_python_expression(made.text).has_value());
  }));
  EXPECT_GT(defined, 20) << "too few expressions had a value for the test to mean anything";
}

TEST(ExpressionProperty, AnyTextIsAnsweredAndNeverTwoWays) {
  const auto piece =
      rc::gen::elementOf(std::vector<std::string>{"1",  "N",   " ",    "+",  "-",    "*", "//", "%", "(",  ")", "<",
                                                  "==", "and", "not ", "or", "min(", ",", "=",  "/", "**", "x", "0"});
  EXPECT_TRUE(rc::check("any text", [&] {
    std::string text;
    for (const std::string& part : *rc::gen::container<std::vector<std::string>>(piece)) {
      text += part;
    }
    const auto result = evaluate_expression(text, kNames);
    if (result) {
      RC_ASSERT(check_expression(text).has_value());
      RC_ASSERT(evaluate_expression("(" + text + ")", kNames).value() == *result);
    } else {
      RC_ASSERT(result.error().owner == base::Owner::input);
      RC_ASSERT(result.error().message.find("at column ") != std::string::npos);
    }
  }));
}

}  // namespace
}  // namespace assay::task
