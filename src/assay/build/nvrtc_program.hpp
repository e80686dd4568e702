#pragma once

#include <span>
#include <string>

namespace assay::build {

/// The body of the program assay-nvrtc, which runs NVIDIA's run-time compiler in a process that can be shut in: NVRTC
/// parses a candidate's text, so it never runs inside the judge. `words` are the arguments without the program's name:
///
///     --describe[=LIBRARY]     prints "NVRTC 13.0" and the path of the library that was opened
///     --library=LIBRARY        the libnvrtc to open; without it the loader's, else the one under /usr/local/cuda
///     -I FOLDER, -o FILE       as compilers take them; FILE gets the cubin
///     SOURCE.cu                one; everything else that begins with '-' goes to NVRTC as it is
///
/// What NVRTC says goes to standard error. Returns the exit code: 0, 1 if the source does not compile, 2 if there is no
/// NVRTC or the arguments are wrong.
[[nodiscard]] int run_nvrtc(std::span<const std::string> words);

}  // namespace assay::build
