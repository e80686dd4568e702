#pragma once

namespace assay::evaluate {

/// The program assay-judge: parses the command line, judges one request and leaves one bundle. Returns its exit code: 0
/// when a complete bundle was left (whatever the verdict), else that of the error's owner (2, 3 or 70).
[[nodiscard]] int run_judge(int argc, char** argv);

}  // namespace assay::evaluate
