#include <assay/evaluate/process_pair.hpp>

#include <gtest/gtest.h>

#include <assay/evaluate/remote_device_for_test.hpp>

namespace assay::evaluate {
namespace {

class PerhapsSimulatedDevice : public RemoteDevice {
 public:
  explicit PerhapsSimulatedDevice(bool is_simulated) : is_simulated_(is_simulated) {}
  [[nodiscard]] bool simulated() const override { return is_simulated_; }

 private:
  bool is_simulated_;
};

TEST(ProcessPairs, TheFirstOfAComparisonMeasuresWhatTheFloorTakes) {
  const PerhapsSimulatedDevice real(false);
  task::EvaluationRequest request;
  Session session;
  session.request = &request;
  session.device = &real;
  EXPECT_TRUE(measures_floor(session, 0));
  EXPECT_FALSE(measures_floor(session, 1)) << "it is known by then";
  for (const Session::Purpose other :
       {Session::Purpose::stress, Session::Purpose::official, Session::Purpose::trials, Session::Purpose::chain}) {
    session.purpose = other;
    EXPECT_FALSE(measures_floor(session, 0)) << "nothing is timed";
  }
}

TEST(ProcessPairs, NoFloorIsMeasuredThatNobodyAsksFor) {
  const PerhapsSimulatedDevice real(false);
  const PerhapsSimulatedDevice simulated(true);
  task::EvaluationRequest request;
  Session session;
  session.request = &request;
  session.device = &simulated;
  EXPECT_FALSE(measures_floor(session, 0)) << "its clock has nothing to do with this machine's memory";
  session.device = &real;
  request.disabled_probes = {task::Probe::roofline_floor};
  EXPECT_FALSE(measures_floor(session, 0));
}

}  // namespace
}  // namespace assay::evaluate
