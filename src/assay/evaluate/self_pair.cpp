#include <assay/evaluate/self_pair.hpp>

#include <assay/base/random.hpp>

namespace assay::evaluate {

base::Result<PairResult> run_self_pair(const Session& session, const Contestant& copy, std::int32_t pair) {
  task::EvaluationRequest request = *session.request;
  request.candidate = *request.incumbent;
  request.plan.check_fraction = 0;
  // What would cost the reference's time, or ask what is known of an incumbent. What shapes a call's surroundings stays.
  for (const task::Probe probe :
       {task::Probe::output_check, task::Probe::one_element_mutation, task::Probe::determinism,
        task::Probe::input_digest, task::Probe::late_work, task::Probe::interference, task::Probe::roofline_floor}) {
    request.disabled_probes.insert(probe);
  }
  JudgeSettings settings = *session.settings;
  settings.on_progress = nullptr;  // The pairs of the comparison tell how far it has come.
  Session self = session;
  self.request = &request;
  self.settings = &settings;
  self.of_self = true;
  self.seed = base::mix(session.seed, base::stream_id("self comparison"));
  for (const Contestant*& contestant : self.contestants) {
    contestant = contestant->side == task::Side::candidate ? &copy : contestant;
  }
  ASSAY_TRY_ASSIGN(PairResult result, run_pair(self, pair));
  for (task::Sample& sample : result.samples) {
    sample.self = true;
    sample.checked = false;  // Warm-up calls are said to be, where outputs are.
  }
  if (result.fault) {
    result.fault->side = task::Side::incumbent;
  }
  return result;
}

}  // namespace assay::evaluate
