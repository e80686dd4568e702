// What the skill of each operator says of its difficult inputs, held against the operator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/base/text.hpp>
#include <assay/operators/operator.hpp>
#include <assay/os/file.hpp>

namespace assay::operators {
namespace {

// The first cells of the table rows "| `name` | …" of a file.
std::vector<std::string> names_in_table(const os::Path& file) {
  const auto text = os::read_file(file);
  EXPECT_TRUE(text) << text.error().text();
  std::vector<std::string> names;
  for (const std::string& line : base::split(text.value_or(""), '\n')) {
    constexpr std::string_view kBegin = "| `";
    const std::size_t end = line.find("` |");
    if (line.starts_with(kBegin) && end != std::string::npos) {
      names.push_back(line.substr(kBegin.size(), end - kBegin.size()));
    }
  }
  return names;
}

TEST(SkillsOfOperators, NameEveryKindOfDifficultInput) {
  struct Case {
    const char* definition;
    const char* skill;
  };
  const Case cases[] = {
      {"gdn_decode_qk4_v8_d128_k_last", "assay-gdn-decode"},
      {"gdn_prefill_qk4_v8_d128_k_last", "assay-gdn-prefill"},
      {"dsa_topk_indexer_fp8_h64_d128_topk2048_ps64", "assay-dsa-topk-indexer"},
      {"dsa_sparse_attention_h16_ckv512_kpe64_topk2048_ps64", "assay-dsa-sparse-attention"},
      {"moe_fp8_block_scale_ds_routing_topk8_ng8_kg4_e32_h7168_i2048", "assay-moe-fp8"},
  };
  for (const Case& one : cases) {
    const Operator* known = find_operator(one.definition);
    ASSERT_NE(known, nullptr) << one.definition;
    std::vector<std::string> kinds;
    for (const StressKind& kind : known->stress_kinds()) {
      kinds.emplace_back(kind.name);
    }
    EXPECT_THAT(names_in_table(os::Path(ASSAY_SOURCE_DIR) / "skills" / one.skill / "references" / "stress.md"),
                testing::UnorderedElementsAreArray(kinds))
        << one.skill;
  }
}

}  // namespace
}  // namespace assay::operators
