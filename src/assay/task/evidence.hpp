#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <assay/base/json.hpp>
#include <assay/task/decoder.hpp>
#include <assay/task/named.hpp>

namespace assay::task {

/// What a piece of evidence is about. Persisted by name; never renamed.
enum class EvidenceKind : std::uint8_t {
  noise_floor,  ///< `value`: the log-ratio below which a session cannot tell a change from none (A/A).
  headroom,     ///< `value`: log(time / the roofline's floor); `word`: what limits the floor.
  bottleneck,   ///< `word`: the limiting resource as a profile or a roofline found it; `value`: its use, 0 to 1.
};
[[nodiscard]] std::string_view to_string(EvidenceKind kind);

/// Something that was measured, and where. Only a measurement makes one, never anybody's words. It holds in its own
/// environment alone: it expires with it.
struct Evidence {
  EvidenceKind kind = EvidenceKind::noise_floor;
  std::string regime = "all";  ///< "all", or a regime's name.
  double value = 0;
  std::string word;
  std::string evaluation;   ///< Id of the evaluation that measured it.
  std::string environment;  ///< environment_digest of where.
  bool operator==(const Evidence&) const = default;
};

/// Tells whether it still holds: in the environment that it was made in. One without an environment never does, and none
/// does in an environment that is not known.
[[nodiscard]] bool holds_in(const Evidence& evidence, std::string_view environment);

/// Names an environment by all of its fingerprint (Evaluation::environment), whatever the order; empty if nothing was told.
[[nodiscard]] std::string environment_digest(const Named<std::string>& fingerprint);

/// The reader reports to the node.
[[nodiscard]] base::Json encode(const Evidence& evidence);
[[nodiscard]] Evidence read_evidence(const Node& node);

}  // namespace assay::task
