#include <assay/skill/problem.hpp>

#include <fmt/core.h>

namespace assay::skill {

std::string Problem::text() const {
  return fmt::format("{}{}: {}{}", file, line == 0 ? "" : fmt::format(":{}", line), field.empty() ? "" : field + ": ",
                     message);
}

}  // namespace assay::skill
