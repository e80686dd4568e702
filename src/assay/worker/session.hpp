#pragma once

namespace assay::worker {

/// Serves the judge on descriptor kSocketDescriptor until it closes: the whole life of assay-worker. Loads one
/// candidate, maps the judge's memory, calls the entry point when told. Returns the process's exit code (0 when the
/// judge closed the socket in good order). Everything the candidate can reach is in this process: nothing here is a
/// secret, and nothing that it says is believed without a check by the judge.
[[nodiscard]] int serve();

}  // namespace assay::worker
