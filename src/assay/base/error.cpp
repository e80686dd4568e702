#include <assay/base/error.hpp>

#include <cstdio>
#include <cstdlib>
#include <system_error>

namespace assay::base {

std::string_view to_string(Owner owner) {
  switch (owner) {
    case Owner::input:
      return "input";
    case Owner::environment:
      return "environment";
    case Owner::internal:
      return "internal";
  }
  return "internal";
}

std::string Error::text() const {
  std::string line = message;
  for (const std::string& part : context) {
    line += " (" + part + ")";
  }
  return line;
}

namespace {

tl::unexpected<Error> make(Owner owner, std::string code, std::string message) {
  return tl::unexpected<Error>(Error{owner, std::move(code), std::move(message), {}});
}

}  // namespace

tl::unexpected<Error> input_error(std::string code, std::string message) {
  return make(Owner::input, std::move(code), std::move(message));
}

tl::unexpected<Error> environment_error(std::string code, std::string message) {
  return make(Owner::environment, std::move(code), std::move(message));
}

tl::unexpected<Error> internal_error(std::string code, std::string message) {
  return make(Owner::internal, std::move(code), std::move(message));
}

tl::unexpected<Error> system_error(std::string code, std::string_view what, int errno_value) {
  return environment_error(std::move(code), std::string(what) + ": " + std::generic_category().message(errno_value));
}

int exit_code(Owner owner) {
  switch (owner) {
    case Owner::input:
      return 2;
    case Owner::environment:
      return 3;
    case Owner::internal:
      return 70;
  }
  return 70;
}

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "assay: internal error: %s does not hold at %s:%d\n", condition, file, line);
  std::abort();
}

}  // namespace assay::base
