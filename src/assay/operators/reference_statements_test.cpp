#include <assay/operators/reference_statements.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::operators {
namespace {

using testing::ElementsAre;
using testing::Optional;

TEST(ReferenceStatements, LayoutCommentsAndChecksDoNotMatter) {
  const auto plain = reference_statements("def run(A, B):\n    return A @ B.T\n");
  EXPECT_THAT(plain, Optional(ElementsAre("def run ( A , B ) :", "return A @ B . T")));
  EXPECT_EQ(reference_statements("import torch\n"
                                 "\n"
                                 "\"\"\"The product.\"\"\"\n"
                                 "@torch.no_grad()\n"
                                 "def run(A,\n        B):\n"
                                 "  'Of two.'\n"
                                 "  M, K = A.shape  # taken apart\n"
                                 "  assert K == 4096, \"constant\"\n"
                                 "  # the product\n"
                                 "  return (A  @\n     B.T)[:]\n"
                                 ""),
            reference_statements("def run(A, B):\n    return (A@B.T)[:]"));
}

TEST(ReferenceStatements, KeepsWhatMayChangeValues) {
  EXPECT_THAT(reference_statements("def run(x):\n  x, y = x.shape, 1\n  return x; print(x)\n"),
              Optional(ElementsAre("def run ( x ) :", "x , y = x . shape , 1", "return x", "print ( x )")));
  EXPECT_THAT(reference_statements("def run(x):\n  n = x.shape\n  return x\n"),
              Optional(testing::Contains("n = x . shape")));
  EXPECT_THAT(reference_statements("def run(B, A):\n  return A @ B.T\n"),
              Optional(testing::Contains("def run ( B , A ) :")));
  EXPECT_THAT(reference_statements("def run(x):\n  'a'.join(x)\n  return x\n"),
              Optional(testing::Contains("'a' . join ( x )")));
}

TEST(ReferenceStatements, RefusesWhatIsNotOnePlainFunction) {
  EXPECT_FALSE(reference_statements("def run(x:\n"));
  EXPECT_FALSE(reference_statements("x = 1\n"));
  EXPECT_FALSE(reference_statements(""));
  EXPECT_FALSE(reference_statements("import torch\nimport os\ndef run(x):\n  return x\n"));
  EXPECT_FALSE(reference_statements("torch = None\ndef run(x):\n  return x\n"));
  EXPECT_FALSE(reference_statements("def run(x):\n  return x\ndef run(x):\n  return 2 * x\n"));
  EXPECT_FALSE(reference_statements("def run(x):\n  if x:\n    return x\n"));
  EXPECT_FALSE(reference_statements("@twice\ndef run(x):\n  return x\n"));
}

}  // namespace
}  // namespace assay::operators
