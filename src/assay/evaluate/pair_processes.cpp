#include <assay/evaluate/pair_processes.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include <assay/base/parallel.hpp>
#include <assay/base/text.hpp>
#include <assay/evaluate/contestant_loading.hpp>

namespace assay::evaluate {

namespace {

class Starter {
 public:
  Starter(const Session& session, base::Philox& random, std::size_t slack)
      : session_(session), random_(random), slack_(slack) {}

  base::Result<PairProcesses> start() && {
    std::size_t inputs_size = 0;
    std::size_t outputs_size = 0;
    for (const verify::Layout& layout : *session_.layouts) {
      inputs_size = std::max(inputs_size, layout.inputs_size);
      outputs_size = std::max(outputs_size, layout.outputs_size);
    }
    session_.device->spread_judge();
    ASSAY_TRY(create_memories(inputs_size + slack_, outputs_size + slack_));
    session_.device->place_judge();
    // The order of starting must not favour a side.
    if (made_.sides.size() == 2 && random_.next_below(2) == 1) {
      std::swap(made_.sides[0], made_.sides[1]);
    }
    for (SideProcess& side : made_.sides) {
      ASSAY_TRY(start_side(side));
      if (made_.fault) {
        break;
      }
    }
    return std::move(made_);
  }

 private:
  [[nodiscard]] const task::EvaluationRequest& request() const { return *session_.request; }

  // Fresh memory for each pair, at the same time: the kernel clears some hundred thousand pages, one after the other
  // for each caller.
  base::Result<void> create_memories(std::size_t inputs_size, std::size_t outputs_size) {
    for (const Contestant* contestant : session_.contestants) {
      made_.sides.emplace_back().contestant = contestant;
    }
    std::vector<base::Result<std::unique_ptr<device::CallMemory>>> created(1 + made_.sides.size());
    base::parallel_for(created.size(), [&](std::size_t i) {
      created[i] = i == 0 ? session_.device->create_memory(inputs_size, os::PeerAccess::read_only)
                          : session_.device->create_memory(outputs_size, os::PeerAccess::read_write);
    });
    ASSAY_TRY_ASSIGN(made_.inputs, std::move(created[0]));
    for (std::size_t i = 0; i < made_.sides.size(); ++i) {
      ASSAY_TRY_ASSIGN(made_.sides[i].outputs, std::move(created[i + 1]));
    }
    return {};
  }

  base::Result<void> start_side(SideProcess& side) {
    ASSAY_TRY_ASSIGN(side.client, session_.workers->take());
    const base::Timing timing = task::timing_of(request());
    const auto floor = side.client->measure_floor(timing, request().plan.load_limit);
    if (!floor) {
      note(floor.error(), side, Activity::map);
      return {};
    }
    if (floor->status != 0) {
      return base::environment_error("worker.clock",
                                     fmt::format("{} cannot be timed by {}: {}", session_.device->name(),
                                                 base::to_string(timing.method), base::printable(floor->text)));
    }
    made_.floors_ns.push_back(floor->elapsed_ns);
    if (const auto mapped =
            side.client->map(made_.inputs->descriptor(), made_.inputs->bytes().size(), side.outputs->descriptor(),
                             side.outputs->bytes().size(), request().plan.load_limit);
        !mapped) {
      note(mapped.error(), side, Activity::map);
      return {};
    }
    const auto loaded = load_contestant(*side.client, *side.contestant, request().plan.load_limit);
    if (!loaded) {
      note(loaded.error(), side, Activity::load);
    } else if (loaded->status == worker::LoadStatus::runtime_missing) {
      return base::environment_error(
          "judge.tvm_ffi", "a worker in the sandbox cannot load TVM-FFI's library: " + base::printable(loaded->text));
    } else if (loaded->status != worker::LoadStatus::loaded) {
      made_.fault = refused(*loaded, side);
    }
    return {};
  }

  static Fault refused(const worker::LoadReply& reply, const SideProcess& side) {
    Fault fault;
    fault.side = side.contestant->side;
    fault.outcome = task::Outcome::not_built;
    task::Finding finding;
    finding.side = fault.side;
    if (side.contestant->plan) {
      finding = kernels_refused(reply);
      finding.side = fault.side;
    } else if (reply.status == worker::LoadStatus::symbol_missing) {
      finding.kind = "entry_missing";
      finding.message = fmt::format(
          "missing entry point: the object does not export {}: define it with "
          "ASSAY_KERNEL({}) of <assay/candidate.h>",
          side.contestant->symbol, side.contestant->symbol.substr(13));
      if (!side.contestant->tvm_ffi_symbol.empty()) {
        finding.message += fmt::format(", or {} with TVM_FFI_DLL_EXPORT_TYPED_FUNC", side.contestant->tvm_ffi_symbol);
      }
    } else {
      finding.kind = "loader";
      finding.message = describe_refused_object(reply.text);
    }
    fault.cause = finding.message;
    fault.findings.push_back(std::move(finding));
    return fault;
  }

  void note(const worker::Failure& failure, const SideProcess& side, Activity activity) {
    made_.fault = diagnose(failure, side.contestant->side, activity, nullptr, std::nullopt);
    made_.killed_from_outside = failure.kind == worker::Failure::Kind::killed_from_outside;
  }

  const Session& session_;
  base::Philox& random_;
  std::size_t slack_;
  PairProcesses made_;
};

}  // namespace

base::Result<PairProcesses> start_processes(const Session& session, base::Philox& random, std::size_t slack) {
  return Starter(session, random, slack).start();
}

}  // namespace assay::evaluate
