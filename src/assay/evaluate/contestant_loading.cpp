#include <assay/evaluate/contestant_loading.hpp>

#include <fmt/core.h>

#include <assay/base/text.hpp>

namespace assay::evaluate {

worker::Answer<worker::LoadReply> load_contestant(worker::WorkerClient& client, const Contestant& contestant,
                                                  std::chrono::nanoseconds limit) {
  if (contestant.plan) {
    return client.load_kernels(contestant.object, kernels_of(*contestant.plan), limit);
  }
  if (contestant.tvm_ffi_symbol.empty()) {
    return client.load(contestant.object, contestant.symbol, limit);
  }
  return client.load(contestant.object, contestant.tvm_ffi_library, {contestant.symbol, contestant.tvm_ffi_symbol},
                     limit);
}

task::Finding kernels_refused(const worker::LoadReply& reply) {
  task::Finding finding;
  const std::string words = base::printable(reply.text);
  switch (reply.status) {
    case worker::LoadStatus::symbol_missing:
      finding.kind = "kernel_missing";
      finding.message = fmt::format(
          "the cubin has no kernel \"{}\", which the launch plan names: declare it extern \"C\" __global__, or give "
          "the "
          "name that the build's record has (candidate_build.kernels)",
          words);
      break;
    case worker::LoadStatus::arguments_differ:
      finding.kind = "kernel_arguments";
      finding.message = words + ": make the launch plan's arguments those of the kernel, in their order and types";
      break;
    default:
      finding.kind = "loader";
      finding.message = "the GPU's driver refused the cubin: " + words;
      break;
  }
  return finding;
}

}  // namespace assay::evaluate
