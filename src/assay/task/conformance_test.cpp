#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include <assay/base/json.hpp>
#include <assay/base/text.hpp>
#include <assay/task/codec.hpp>

// Verdicts and normal forms that flashinfer-bench's own models gave for these documents.
namespace assay::task {
namespace {

using base::Json;

std::string read(const std::string& path) {
  const std::ifstream file(std::string(ASSAY_SOURCE_DIR) + "/" + path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<Json> cases() {
  std::vector<Json> all;
  for (const std::string& line : base::split(read("tests/data/schema_conformance.jsonl"), '\n')) {
    if (!line.empty()) {
      all.push_back(base::parse_json(line, "schema_conformance.jsonl").value());
    }
  }
  return all;
}

// Rows of the page's first table: "| `kind/name` | accepts | refuses | reason |".
std::set<std::string> listed_differences() {
  std::set<std::string> names;
  for (const std::string& line : base::split(read("docs/dialects.md"), '\n')) {
    const std::vector<std::string> cells = base::split(line, '|');
    if (cells.size() == 6 && cells[1].starts_with(" `") && cells[1].find('/') != std::string::npos) {
      const std::string_view name = base::trim(cells[1]);
      if (!base::trim(cells[4]).empty()) {
        names.emplace(name.substr(1, name.size() - 2));
      }
    }
  }
  return names;
}

template <class T>
Json outcome(const Decoded<T>& decoded) {
  return decoded.value ? encode(*decoded.value) : Json();
}

// The normal form, or null if the document is refused.
Json normal_form(const std::string& kind, const Json& input) {
  if (kind == "definition") {
    return outcome(decode_definition(input));
  }
  if (kind == "workload") {
    return outcome(decode_workload(input));
  }
  return kind == "solution" ? outcome(decode_solution(input)) : outcome(decode_trace(input));
}

// Sorts the keys of objects, so that a comparison is of values.
nlohmann::json unordered(const Json& json) { return nlohmann::json::parse(json.dump()); }

std::string name_of(const Json& one) { return one["kind"].get<std::string>() + "/" + one["name"].get<std::string>(); }

TEST(Conformance, HasTheWholeCorpus) {
  std::map<std::string, int> kinds;
  for (const Json& one : cases()) {
    ++kinds[one["kind"].get<std::string>()];
  }
  EXPECT_EQ(cases().size(), 140U);
  EXPECT_THAT(kinds, ::testing::UnorderedElementsAre(::testing::Pair("definition", ::testing::Gt(40)),
                                                     ::testing::Pair("solution", ::testing::Gt(25)),
                                                     ::testing::Pair("workload", ::testing::Gt(15)),
                                                     ::testing::Pair("trace", ::testing::Gt(30))));
}

TEST(Conformance, AcceptsAndRefusesWhatFlashinferBenchDoes) {
  std::set<std::string> different;
  for (const Json& one : cases()) {
    const bool accepted = !normal_form(one["kind"], one["input"]).is_null();
    if (accepted != one["accept"].get<bool>()) {
      different.insert(name_of(one));
    }
  }
  EXPECT_EQ(different, listed_differences()) << "docs/dialects.md lists every difference with its reason";
}

TEST(Conformance, WritesTheSameNormalForm) {
  for (const Json& one : cases()) {
    const Json normal = normal_form(one["kind"], one["input"]);
    if (one["accept"].get<bool>() && !normal.is_null()) {
      EXPECT_EQ(unordered(normal), unordered(one["normalized"])) << name_of(one);
    }
  }
}

TEST(Conformance, KeepsTheOrderOfInputsAndOutputs) {
  for (const Json& one : cases()) {
    if (one["kind"] == "definition" && one["accept"].get<bool>()) {
      const Json normal = normal_form("definition", one["input"]);
      // Json compares keys in their order.
      for (const char* group : {"inputs", "outputs", "axes"}) {
        const Json& expected = one["normalized"][group];
        std::vector<std::string> keys;
        std::vector<std::string> wanted;
        for (const auto& [key, value] : normal[group].items()) {
          keys.push_back(key);
        }
        for (const auto& [key, value] : expected.items()) {
          wanted.push_back(key);
        }
        EXPECT_EQ(keys, wanted) << name_of(one) << " " << group;
      }
    }
  }
}

TEST(Conformance, NormalFormsAreFixedPoints) {
  for (const Json& one : cases()) {
    const Json normal = normal_form(one["kind"], one["input"]);
    if (!normal.is_null()) {
      EXPECT_EQ(normal_form(one["kind"], normal).dump(), normal.dump()) << name_of(one);
    }
  }
}

TEST(Conformance, EveryRefusalHasAPlaceAndARemedy) {
  for (const Json& one : cases()) {
    const auto check = [&](const auto& decoded) {
      for (const Problem& problem : decoded.problems) {
        EXPECT_THAT(problem.pointer, ::testing::AnyOf("", ::testing::StartsWith("/"))) << name_of(one);
        EXPECT_GT(problem.message.size(), 10U) << name_of(one);
      }
      EXPECT_EQ(decoded.value.has_value(), decoded.problems.empty());
    };
    check(decode_definition(one["input"]));
    check(decode_workload(one["input"]));
    check(decode_solution(one["input"]));
    check(decode_trace(one["input"]));
  }
}

// Where flashinfer-bench names a place, ours is that place or one below it.
TEST(Conformance, PointsAtTheFieldThatIsWrong) {
  int compared = 0;
  for (const Json& one : cases()) {
    if (one["accept"].get<bool>() || one["kind"] != "definition" || !one["loc"].is_array()) {
      continue;
    }
    const std::string place = one["loc"][0].get<std::string>();
    if (place.empty() || place.find('[') != std::string::npos || place.find("Axis") != std::string::npos) {
      continue;  // of the whole document, or of a branch inside their union types
    }
    std::string pointer;
    for (const std::string& token : base::split(place, '.')) {
      pointer += "/" + token;
    }
    const auto decoded = decode_definition(one["input"]);
    ASSERT_FALSE(decoded.problems.empty()) << name_of(one);
    EXPECT_EQ(decoded.problems.front().pointer, pointer) << name_of(one);
    ++compared;
  }
  EXPECT_GE(compared, 10);
}

}  // namespace
}  // namespace assay::task
