#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/operators/operator.hpp>
#include <assay/task/definition.hpp>
#include <assay/task/workload.hpp>

namespace assay::verify {

/// The contents of inputs that a dataset gives for the workloads of a request (task::Workload::given), read from its files.
/// Keeps those used last in memory. Not thread-safe.
class GivenContents {
 public:
  /// Reads and checks all of them once: the sizes that the definition says, the digests, floating values that are not
  /// finite, and Operator::check_given. What is wrong is an input error that names the file and the remedy. `workloads`
  /// and `op` outlive it. `kept_bytes` bounds what is kept, but for what was asked for last.
  [[nodiscard]] static base::Result<GivenContents> open(const operators::Operator& op,
                                                        const task::Definition& definition,
                                                        std::span<const task::Workload> workloads,
                                                        std::uint64_t kept_bytes = std::uint64_t{2} << 30U);

  /// Whether anything is given for a workload.
  [[nodiscard]] bool has(std::size_t workload) const { return !workloads_[workload].given.empty(); }

  /// Fills the arguments of a call of one workload, by the generator: with what is given, in this variation, or as
  /// `InputGenerator::fill` does where nothing is.
  [[nodiscard]] base::Result<void> fill(operators::InputGenerator& generator, std::size_t workload, std::uint64_t call,
                                        operators::Variation variation, std::span<operators::Argument> arguments);

  /// Says for people and records where inputs come from: "generated", or which are given, for how many workloads.
  [[nodiscard]] std::string description() const;

 private:
  struct Kept {
    std::vector<std::vector<std::byte>> inputs;  ///< In the definition's order; empty where generated.
    std::uint64_t bytes = 0;
    std::list<std::size_t>::iterator used;
  };

  GivenContents(const operators::Operator& op, const task::Definition& definition,
                std::span<const task::Workload> workloads, std::uint64_t kept_bytes)
      : op_(&op), definition_(&definition), workloads_(workloads), kept_bytes_(kept_bytes) {}
  [[nodiscard]] base::Result<const Kept*> load(std::size_t workload);

  const operators::Operator* op_;
  const task::Definition* definition_;
  std::span<const task::Workload> workloads_;
  std::uint64_t kept_bytes_;
  std::uint64_t kept_now_ = 0;
  std::list<std::size_t> by_use_;  ///< Workloads in memory, the one that was used last first.
  std::map<std::size_t, Kept> kept_;
};

}  // namespace assay::verify
