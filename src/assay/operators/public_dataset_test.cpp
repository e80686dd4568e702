// The definitions that the repository ships in datasets/public: which of them Assay knows natively, and that the plain
// kernels' inputs fit.
#include <gtest/gtest.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <assay/operators/operator.hpp>
#include <assay/task/codec.hpp>

namespace assay::operators {
namespace {

std::map<std::string, task::Definition> public_definitions() {
  std::map<std::string, task::Definition> definitions;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(ASSAY_SOURCE_DIR "/datasets/public/definitions")) {
    if (entry.path().extension() != ".json") {
      continue;
    }
    std::ifstream stream(entry.path());
    std::ostringstream text;
    text << stream.rdbuf();
    const auto definition = task::load_definition(text.str(), entry.path().string());
    EXPECT_TRUE(definition.has_value()) << definition.error().text();
    if (definition) {
      definitions[definition->name] = *definition;
    }
  }
  return definitions;
}

TEST(PublicDataset, GemmAndRmsNormAreKnownNativelyAndTheRestIsNot) {
  const auto definitions = public_definitions();
  const std::map<std::string, bool> known = {{"gemm_n128_k2048", true},
                                             {"rmsnorm_h2048", true},
                                             {"fused_add_rmsnorm_h4096", true},
                                             {"silu_and_mul_i256", false}};
  EXPECT_EQ(definitions.size(), known.size());
  for (const auto& [name, natively] : known) {
    ASSERT_TRUE(definitions.contains(name)) << name;
    const auto op = find_operator(definitions.at(name));
    EXPECT_EQ(op != nullptr, natively) << name;
    if (op != nullptr) {
      const auto fits = op->check_interface(definitions.at(name));
      EXPECT_TRUE(fits.has_value()) << fits.error().text();
    }
  }
}

TEST(PublicDataset, ANamedOperatorIsFoundByItsDefinitionToo) {
  task::Definition definition;
  definition.name = "gdn_decode_qk4_v8_d128_k_last";
  EXPECT_EQ(find_operator(definition).get(), find_operator(definition.name)) << "its interface is for the caller";
}

}  // namespace
}  // namespace assay::operators
