#include <assay/task/codec.hpp>

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include <assay/task/decoder.hpp>
#include <assay/task/dialect.hpp>
#include <assay/task/readers.hpp>

namespace assay::task {

base::Error problems_error(std::string_view source, const std::vector<Problem>& problems) {
  ASSAY_CHECK(!problems.empty());
  const Problem& first = problems.front();
  const std::string place = first.pointer.empty() ? "the document" : first.pointer;
  std::string message = fmt::format("{}: {}: {}", source, place, first.message);
  if (problems.size() > 1) {
    message += fmt::format("; and {} more", problems.size() - 1);
  }
  return base::Error{base::Owner::input, "schema.invalid", std::move(message), {}};
}

base::Result<Definition> load_definition(const std::string& text, std::string_view source) {
  ASSAY_TRY_ASSIGN(const base::Json json, base::parse_json(text, source));
  return as_result(decode_definition(json, detect_definition_dialect(json).dialect), source);
}

base::Result<Solution> load_solution(const std::string& text, std::string_view source) {
  ASSAY_TRY_ASSIGN(const base::Json json, base::parse_json(text, source));
  return as_result(decode_solution(json, detect_solution_dialect(json).dialect), source);
}

}  // namespace assay::task
