#include <assay/evaluate/contestant.hpp>

#include <fmt/core.h>

#include <span>

#include <assay/build/binding.hpp>
#include <assay/os/shared_memory.hpp>

namespace assay::evaluate {

base::Result<Contestant> make_contestant(const task::Solution& solution, task::Side side, std::string_view object,
                                         const JudgeSettings& settings) {
  Contestant contestant;
  contestant.side = side;
  contestant.name = solution.name;
  const task::CandidateIdentity identity = task::identify(solution);
  contestant.content = identity.content;
  contestant.normalised = identity.normalised;
  contestant.symbol = build::exported_symbol(solution);
  ASSAY_TRY_ASSIGN(contestant.object, os::sealed_copy("candidate", std::as_bytes(std::span(object))));
  if (build::may_use_tvm_ffi(solution)) {
    const base::Result<std::string> library = os::read_file(settings.tvm_ffi);
    if (!library) {
      return base::environment_error(
          "judge.tvm_ffi", fmt::format("solution '{}' is bound by tvm-ffi, whose library is not beside the programs: "
                                       "run ./dev setup and build again, or carry it along ({})",
                                       solution.name, library.error().text()));
    }
    contestant.tvm_ffi_symbol = build::tvm_ffi_symbol(solution);
    ASSAY_TRY_ASSIGN(contestant.tvm_ffi_library, os::sealed_copy("library", std::as_bytes(std::span(*library))));
  }
  return contestant;
}

}  // namespace assay::evaluate
