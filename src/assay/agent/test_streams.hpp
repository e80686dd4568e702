#pragma once

#include <string>

#include <assay/agent/stream_reader.hpp>
#include <assay/os/file.hpp>

/// What the tests of this layer share: the streams that were recorded of the real programs.
namespace assay::agent::testing {

inline os::Path stream_path(Dialect dialect, const std::string& name) {
  return os::Path(ASSAY_SOURCE_DIR) / "tests/data/agent_streams" / std::string(to_string(dialect)) /
         (name + ".stdout.jsonl");
}

inline std::string recorded(Dialect dialect, const std::string& name) {
  return os::read_file(stream_path(dialect, name)).value();
}

/// A usage as the tests write it down: input with all that was cached, of that read and written, output, reasoning.
inline Usage usage(std::int64_t input, std::int64_t cached, std::int64_t written, std::int64_t output,
                   std::int64_t reasoning, std::optional<double> dollars = std::nullopt) {
  return {{input, cached, written, output, reasoning}, dollars};
}

}  // namespace assay::agent::testing
