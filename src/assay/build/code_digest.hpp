#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <assay/base/digest.hpp>
#include <assay/build/toolchain.hpp>
#include <assay/task/evaluation.hpp>
#include <assay/task/solution.hpp>

namespace assay::build {

/// Digests what a shared object is once it is loaded: each mapped piece with all its bytes (code, constants, relocations,
/// the names of what it exports and calls, a GPU's code that it carries), where it lies and what may be done with it. What
/// no loader reads does not count: local symbols, debugging information, the compiler's name, the build id. Nothing for
/// what is no such file. Two objects with one digest run alike; two that run alike may well have two.
[[nodiscard]] std::optional<base::Digest> loaded_image_digest(std::string_view object);

/// Digests a cubin: every section with its name, but of debugging information and of the note on how it was made only that
/// they are there. The number that nvcc gives each translation unit, which is part of the names of what is internal to it,
/// does not count. Nothing for what is no cubin.
[[nodiscard]] std::optional<base::Digest> device_code_digest(std::string_view cubin);

/// Digests PTX without its comments, blank lines and marks of source lines. Nothing for empty text.
[[nodiscard]] std::optional<base::Digest> ptx_digest(std::string_view ptx);

/// What a build left beside its object, where the toolchain leaves it; else empty.
struct KeptCode {
  std::string ptx;
  std::string cubin;
};

/// Names what a solution was built to. Its machine code is also how it is called: the entry point and how it is bound, and
/// the launch plan of a device-only solution, byte for byte. Levels that cannot be named are left empty.
[[nodiscard]] task::BuiltCode name_code(const task::Solution& solution, const Toolchain& toolchain,
                                        std::string_view object, const KeptCode& kept);

}  // namespace assay::build
