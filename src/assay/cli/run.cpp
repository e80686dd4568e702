#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>

#include <assay/base/json.hpp>
#include <assay/base/text.hpp>
#include <assay/cli/program.hpp>
#include <assay/mcp/offer_tools.hpp>

namespace assay::cli {
namespace {

constexpr int kCannotWrite = 3;
constexpr int kBug = 70;

void print_error(const base::Error& error, Format format) {
  if (format == Format::json) {
    const base::Json json = {
        {"error",
         {{"owner", base::to_string(error.owner)}, {"code", error.code}, {"message", base::printable(error.text())}}}};
    static_cast<void>(std::fputs((base::dump_pretty(json) + "\n").c_str(), stdout));
  }
  static_cast<void>(std::fputs(fmt::format("assay: {}\n", base::printable(error.text())).c_str(), stderr));
}

// A full disk or a closed pipe behind stdout must not look like success.
int print_answer(const Answer& answer) {
  const bool written =
      std::fwrite(answer.text.data(), 1, answer.text.size(), stdout) == answer.text.size() && std::fflush(stdout) == 0;
  if (!written) {
    static_cast<void>(std::fputs("assay: cannot write to standard output\n", stderr));
    return kCannotWrite;
  }
  return answer.exit_code;
}

}  // namespace

int run(int argc, const char* const* argv) {
  try {
    const Parsed parsed = parse(argc, argv);
    if (!parsed.arguments) {
      static_cast<void>(std::fputs(parsed.text.c_str(), parsed.exit_code == 0 ? stdout : stderr));
      return parsed.exit_code;
    }
    service::Context context = service::make_context(
        service::surroundings_of_this_process(parsed.arguments->dataset, parsed.arguments->archive));
    context.offer_tools = mcp::offer_tools;
    const auto answer = perform(*parsed.arguments, context);
    if (!answer) {
      print_error(answer.error(), parsed.arguments->format);
      return base::exit_code(answer.error().owner);
    }
    return print_answer(*answer);
  } catch (const std::exception& error) {
    static_cast<void>(std::fputs(fmt::format("assay: a bug: {}\n", error.what()).c_str(), stderr));
    return kBug;
  }
}

}  // namespace assay::cli
