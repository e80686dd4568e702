#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/base/json.hpp>
#include <assay/service/context.hpp>

namespace assay::service {

/// One thing that this machine can or cannot do.
struct Capability {
  enum class State : std::uint8_t {
    available,
    absent,   ///< Not there, and not needed for what Assay does without it.
    missing,  ///< Needed: without it nothing can be evaluated.
  };
  std::string name;
  State state = State::available;
  std::string detail;
  std::string remedy;  ///< What to do, or what is then not possible; empty if available.
};

[[nodiscard]] std::string_view to_string(Capability::State state);

struct DoctorReport {
  std::vector<Capability> capabilities;
  [[nodiscard]] bool healthy() const;
};

/// Looks at the machine: compilers, our programs, isolation, memory, disk, database, CUDA. Never fails itself.
[[nodiscard]] DoctorReport examine(const Context& context);

[[nodiscard]] base::Json encode(const DoctorReport& report);

}  // namespace assay::service
