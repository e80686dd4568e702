#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <assay/base/digest.hpp>
#include <assay/task/evaluation.hpp>

namespace assay::archive {

/// The levels of task::BuiltCode. Persisted as "ptx", "sass" and "machine_code", which never change.
enum class CodeLevel : std::uint8_t { ptx, sass, machine_code };

[[nodiscard]] std::string_view to_string(CodeLevel level);
[[nodiscard]] const std::string& at_level(const task::BuiltCode& code, CodeLevel level);

/// A candidate that some evaluation built to the same code as another one, and the last level at which they are the same.
struct SameBuild {
  base::Digest candidate;
  std::string name;
  CodeLevel level = CodeLevel::machine_code;
};

}  // namespace assay::archive
