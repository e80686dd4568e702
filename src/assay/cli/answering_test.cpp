#include <assay/cli/answering.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace assay::cli {
namespace {

// Answers as a command does.
class Greeting : public Answering {
 public:
  using Answering::Answering;
  Answer greet(int& printed) const {
    return answer(3, {{"hello", "world"}}, [&] {
      ++printed;
      return std::string("hello, world\n");
    });
  }
};

TEST(AnsweringTest, InTextOrInJsonWithTheSameExitCode) {
  const service::Context context;
  int printed = 0;
  const Answer text = Greeting(Format::text, context).greet(printed);
  EXPECT_EQ(text.text, "hello, world\n");
  EXPECT_EQ(text.exit_code, 3);
  EXPECT_EQ(printed, 1);
  const Answer json = Greeting(Format::json, context).greet(printed);
  EXPECT_EQ(json.text, "{\n  \"hello\": \"world\"\n}\n");
  EXPECT_EQ(json.exit_code, 3);
  EXPECT_EQ(printed, 1) << "a text that nobody sees is not made";
}

// Sets $USER, or takes it away, for as long as it lives.
class SetUser {
 public:
  explicit SetUser(const char* name) {
    if (const char* before = std::getenv("USER")) {
      before_ = before;
    }
    set(name);
  }
  ~SetUser() { set(before_ ? before_->c_str() : nullptr); }
  SetUser(const SetUser&) = delete;
  SetUser& operator=(const SetUser&) = delete;

 private:
  static void set(const char* name) { name == nullptr ? ::unsetenv("USER") : ::setenv("USER", name, 1); }

  std::optional<std::string> before_;
};

TEST(Whoever, IsAsGivenOrAsTheSystemHasIt) {
  {
    const SetUser user("ada");
    EXPECT_EQ(whoever("grace"), "grace");
    EXPECT_EQ(whoever(""), "ada");
  }
  const SetUser nobody(nullptr);
  EXPECT_EQ(whoever(""), "a person");
}

}  // namespace
}  // namespace assay::cli
