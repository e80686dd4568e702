#pragma once

#include <assay/base/json.hpp>
#include <assay/task/decoder.hpp>
#include <assay/task/evaluation.hpp>

namespace assay::task {

/// Readers and encoders of the records inside an Evaluation. Readers report to the node; optional fields are written
/// as null and must be there when read.
[[nodiscard]] Finding read_finding(const Node& node);
[[nodiscard]] CandidateIdentity read_identity(const Node& node);
[[nodiscard]] KernelResources read_kernel(const Node& node);
[[nodiscard]] BuiltCode read_code(const Node& node);
[[nodiscard]] BuildRecord read_build(const Node& node);
[[nodiscard]] WorkloadTiming read_timing(const Node& node);
[[nodiscard]] Comparison read_comparison(const Node& node);
[[nodiscard]] base::Timing read_clock(const Node& node);
[[nodiscard]] PairReadings read_readings(const Node& node);
[[nodiscard]] Canary read_canary(const Node& node);

[[nodiscard]] base::Json encode_finding(const Finding& finding);
[[nodiscard]] base::Json encode_identity(const CandidateIdentity& identity);
[[nodiscard]] base::Json encode_kernel(const KernelResources& kernel);
[[nodiscard]] base::Json encode_code(const BuiltCode& code);
[[nodiscard]] base::Json encode_build(const BuildRecord& build);
[[nodiscard]] base::Json encode_timing(const WorkloadTiming& timing);
[[nodiscard]] base::Json encode_comparison(const Comparison& comparison);
[[nodiscard]] base::Json encode_clock(const base::Timing& timing);
[[nodiscard]] base::Json encode_readings(const PairReadings& readings);
[[nodiscard]] base::Json encode_canary(const Canary& canary);

}  // namespace assay::task
