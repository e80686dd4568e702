#include <assay/evaluate/materialise.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <assay/base/digest.hpp>
#include <assay/base/json.hpp>
#include <assay/operators/arguments.hpp>
#include <assay/operators/trial_for_test.hpp>
#include <assay/task/codec.hpp>
#include <assay/tensor/safetensors.hpp>

namespace assay::evaluate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kDefinition = "gdn_decode_qk4_v8_d128_k_last";

class MaterialiseTest : public ::testing::Test {
 protected:
  MaterialiseTest() {
    const os::Path file =
        os::Path(ASSAY_SOURCE_DIR) / "datasets/contest/definitions/gdn" / (std::string(kDefinition) + ".json");
    request_.id = "m-1";
    request_.stage = task::Stage::materialise;
    request_.seed = 0;
    request_.definition = task::load_definition(os::read_file(file).value(), "definition").value();
    task::Workload workload;
    workload.uuid = "w";
    workload.axes = {{"batch_size", 3}};
    // Two files, one key that is not the input's name, and inputs that lie in none.
    workload.inputs = {{"q", task::SafetensorsInput{"./blob/a.safetensors", "q"}},
                       {"k", task::SafetensorsInput{"./blob/a.safetensors", "key"}},
                       {"v", task::RandomInput{}},
                       {"state", task::SafetensorsInput{"./blob/b.safetensors", "state"}},
                       {"A_log", task::SafetensorsInput{"./blob/a.safetensors", "A_log"}},
                       {"a", task::RandomInput{}},
                       {"dt_bias", task::RandomInput{}},
                       {"b", task::RandomInput{}},
                       {"scale", task::ScalarInput{0.5}}};
    request_.workloads = {workload};
  }

  os::Path bundle(const std::string& name = "m-1") const { return folder_.path() / name; }
  std::string read(const std::string& name, const std::string& of = "m-1") const {
    return os::read_file(bundle(of) / name).value();
  }
  std::string fault() const {
    const auto done = materialise(request_, bundle("bad"), {});
    EXPECT_FALSE(std::filesystem::exists(bundle("bad")));
    return done ? std::string("no fault") : done.error().text();
  }

  os::TemporaryDirectory folder_ = os::TemporaryDirectory::create(testing::TempDir(), "materialise-").value();
  task::EvaluationRequest request_;
};

TEST_F(MaterialiseTest, WritesWhatTheGeneratorGivesTheFirstCall) {
  ASSERT_TRUE(materialise(request_, bundle(), {}));
  EXPECT_THAT(os::list_directory(bundle()).value(),
              ElementsAre("blob-0.safetensors", "blob-1.safetensors", "manifest.json", "request.json"));
  const operators::Operator& op = *operators::find_operator(kDefinition);
  operators::OperatorTrial trial(op, request_.workloads[0]);
  op.make_generator(0)->fill(request_.workloads[0], 0, trial.arguments());

  const std::string first = read("blob-0.safetensors");
  const auto a = tensor::read_safetensors(std::as_bytes(std::span(first)), "a");
  ASSERT_TRUE(a) << a.error().text();
  EXPECT_EQ(a->header.tensors.size(), 3U);
  EXPECT_EQ(a->header.data_begin % 8, 0U);
  const auto same = [](const tensor::ConstView& got, const tensor::View& wanted) {
    return got.dtype == wanted.dtype && got.shape == wanted.shape && std::ranges::equal(got.bytes, wanted.bytes);
  };
  EXPECT_TRUE(same(a->view("q", "a").value(), trial.input(0)));
  EXPECT_TRUE(same(a->view("key", "a").value(), trial.input(1)));
  EXPECT_TRUE(same(a->view("A_log", "a").value(), trial.input(4)));
  const std::string second = read("blob-1.safetensors");
  const auto b = tensor::read_safetensors(std::as_bytes(std::span(second)), "b");
  ASSERT_TRUE(b) << b.error().text();
  EXPECT_TRUE(same(b->view("state", "b").value(), trial.input(3)));
}

TEST_F(MaterialiseTest, TheManifestNamesWhatWasWritten) {
  ASSERT_TRUE(materialise(request_, bundle(), {}));
  const auto manifest = base::parse_json(read("manifest.json"), "m").value();
  EXPECT_EQ(manifest["files"].size(), 3U);
  for (const auto& [name, entry] : manifest["files"].items()) {
    EXPECT_EQ(entry["sha256"].get<std::string>(), base::sha256(read(name)).hex()) << name;
    EXPECT_EQ(entry["bytes"].get<std::size_t>(), read(name).size()) << name;
  }
  const auto request = task::decode_request(base::parse_json(read("request.json"), "r").value(), "r");
  ASSERT_TRUE(request) << request.error().text();
  EXPECT_EQ(request->workloads[0].uuid, "w");
}

TEST_F(MaterialiseTest, TheSameRequestGivesTheSameBytesAndAnotherSeedOthers) {
  ASSERT_TRUE(materialise(request_, bundle(), {}));
  request_.id = "m-2";
  ASSERT_TRUE(materialise(request_, bundle("m-2"), {}));
  EXPECT_EQ(read("blob-1.safetensors"), read("blob-1.safetensors", "m-2"));
  EXPECT_EQ(read("blob-0.safetensors"), read("blob-0.safetensors", "m-2"));
  request_.seed = 1;
  ASSERT_TRUE(materialise(request_, bundle("m-3"), {}));
  EXPECT_NE(read("blob-0.safetensors"), read("blob-0.safetensors", "m-3"));
  request_.seed = 0;
  request_.workloads[0].uuid = "another";
  ASSERT_TRUE(materialise(request_, bundle("m-4"), {}));
  EXPECT_NE(read("blob-0.safetensors"), read("blob-0.safetensors", "m-4"));
}

TEST_F(MaterialiseTest, TellsHowFarItIs) {
  JudgeSettings settings;
  std::vector<double> seen;
  double all = 0;
  settings.on_progress = [&](double done, double total, std::string_view /*what*/) {
    seen.push_back(done);
    all = total;
  };
  ASSERT_TRUE(materialise(request_, bundle(), settings));
  EXPECT_EQ(seen.size(), 1U + 4U) << "generating, then a piece a tensor";
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(seen.back(), all);
  EXPECT_EQ(all, 2 * 3 * 4 * 128 * 2 + 8 * 4 + 3 * 8 * 128 * 128 * 4);
}

TEST_F(MaterialiseTest, WhatCannotBeDoneIsAnErrorAndLeavesNothing) {
  request_.definition.name = "unknown";
  EXPECT_THAT(fault(), HasSubstr("does not know natively"));
  request_.definition.name = kDefinition;
  request_.definition.inputs[0].second.dtype = tensor::DType::float32;
  EXPECT_THAT(fault(), HasSubstr("/inputs/q/dtype"));
  request_.definition.inputs[0].second.dtype = tensor::DType::bfloat16;
  task::Workload& workload = request_.workloads[0];
  workload.inputs[1].second = task::SafetensorsInput{"blob/a.safetensors", "q"};
  EXPECT_THAT(fault(), AllOf(HasSubstr("two tensors named \"q\""), HasSubstr("workload w"), HasSubstr("blob/a")));
  workload.axes[0].second = 0;
  EXPECT_THAT(fault(), HasSubstr("/axes/batch_size"));
  workload.axes[0].second = 1;
  for (auto& [name, input] : workload.inputs) {
    if (name != "scale") {
      input = task::RandomInput{};
    }
  }
  EXPECT_THAT(fault(), HasSubstr("nothing to write"));
  EXPECT_THAT(os::list_directory(folder_.path()).value(), ElementsAre());
}

TEST_F(MaterialiseTest, APlaceThatIsTakenStaysAsItIs) {
  ASSERT_TRUE(materialise(request_, bundle(), {}));
  request_.seed = 5;
  const std::string before = read("blob-0.safetensors");
  EXPECT_EQ(materialise(request_, bundle(), {}).error().code, "bundle.exists");
  EXPECT_EQ(read("blob-0.safetensors"), before);
}

}  // namespace
}  // namespace assay::evaluate
