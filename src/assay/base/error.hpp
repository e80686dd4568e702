#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace assay::base {

/// Says who has to act on an error. A candidate that fails is not an error: it is an outcome (task/outcome.hpp).
enum class Owner : std::uint8_t {
  input,        ///< The request, a file or an option is wrong; the person who gave it can mend it.
  environment,  ///< The machine failed: disk, compiler, memory, permissions, a dead process.
  internal,     ///< A bug in Assay.
};

[[nodiscard]] std::string_view to_string(Owner owner);

/// Describes something that went wrong around a candidate. `message` is one sentence that names the thing and the
/// remedy; `context` holds the callers' additions, innermost first ("while reading …").
struct Error {
  Owner owner = Owner::internal;
  std::string code;  ///< Stable identifier for programs, such as "json.syntax" or "file.not_found".
  std::string message;
  std::vector<std::string> context;

  /// Returns the message and its context as one line.
  [[nodiscard]] std::string text() const;
};

template <class T>
using Result = tl::expected<T, Error>;

[[nodiscard]] tl::unexpected<Error> input_error(std::string code, std::string message);
[[nodiscard]] tl::unexpected<Error> environment_error(std::string code, std::string message);
[[nodiscard]] tl::unexpected<Error> internal_error(std::string code, std::string message);

/// Makes an environment error from `errno_value`, as "what: strerror".
[[nodiscard]] tl::unexpected<Error> system_error(std::string code, std::string_view what, int errno_value);

/// Adds a line of context to a failed result, and leaves a good one alone.
template <class T>
[[nodiscard]] Result<T> with_context(Result<T> result, std::string context) {
  if (!result) {
    result.error().context.push_back(std::move(context));
  }
  return result;
}

/// Process exit code for an error: 2 for input, 3 for environment, 70 for internal.
[[nodiscard]] int exit_code(Owner owner);

}  // namespace assay::base

#define ASSAY_CONCAT_INNER(a, b) a##b
#define ASSAY_CONCAT(a, b) ASSAY_CONCAT_INNER(a, b)

/// Evaluates a Result and returns its error from the enclosing function if it has one.
#define ASSAY_TRY(expression)                                     \
  do {                                                            \
    auto assay_try_result = (expression);                         \
    if (!assay_try_result) {                                      \
      return tl::unexpected(std::move(assay_try_result.error())); \
    }                                                             \
  } while (false)

#define ASSAY_TRY_ASSIGN_INNER(name, declaration, expression) \
  auto name = (expression);                                   \
  if (!name) {                                                \
    return tl::unexpected(std::move(name.error()));           \
  }                                                           \
  declaration = std::move(*name)

/// Declares or assigns `declaration` from a Result's value, or returns its error from the enclosing function.
#define ASSAY_TRY_ASSIGN(declaration, expression) \
  ASSAY_TRY_ASSIGN_INNER(ASSAY_CONCAT(assay_try_, __COUNTER__), declaration, expression)

/// Aborts with the text and place if a condition that only a bug can break does not hold.
#define ASSAY_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::assay::base::check_failed(#condition, __FILE__, __LINE__))

namespace assay::base {
[[noreturn]] void check_failed(const char* condition, const char* file, int line);
}
