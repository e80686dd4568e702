#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include <assay/certify/numbers.hpp>
#include <assay/certify/sample_certificate.hpp>

// A certificate that was edited anywhere is refused, and the place is named.
namespace assay::certify {
namespace {

using base::Json;
using Pointer = Json::json_pointer;
using testing::edit;
using testing::refusal;
using testing::sample_files;

const std::string kMain(kCertificateFile);

void collect_places(const Json& value, const Pointer& place, std::vector<Pointer>& places) {
  if (!place.empty()) {
    places.push_back(place);
  }
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) {
      collect_places(member, place / key, places);
    }
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      collect_places(value[i], place / i, places);
    }
  }
}

std::vector<Pointer> places_of(const Json& document) {
  std::vector<Pointer> places;
  collect_places(document, Pointer(), places);
  return places;
}

Json certificate() { return base::parse_json(sample_files().at(kMain), kMain).value(); }

// The least change that keeps the type: another letter, the next number, the next of nine digits.
Json changed(const Json& value) {
  if (value.is_string()) {
    auto text = value.get<std::string>();
    if (text.empty()) {
      return "x";
    }
    text.back() = text.back() == '0' ? '1' : '0';
    return text;
  }
  if (value.is_boolean()) {
    return !value.get<bool>();
  }
  if (value.is_number_float()) {
    const double number = value.get<double>();
    const double next = nine_digits(number * (1 + 4e-9));
    return number == 0 ? Json(1e-9) : Json(next != number ? next : nine_digits(number * (1 + 1.2e-8)));
  }
  if (value.is_number()) {
    return value.get<std::int64_t>() + 1;
  }
  return value.is_null() ? Json(0) : Json();
}

// Whether some line of a refusal begins with the place, or with one around or below it.
bool names(const std::string& refused, const std::string& place) {
  std::size_t begin = 0;
  while (begin < refused.size()) {
    const std::size_t end = std::min(refused.find('\n', begin), refused.size());
    const std::string line = refused.substr(begin, end - begin);
    const std::string named = line.substr(0, line.find(": "));
    if (named == place || place.starts_with(named + "/") || named.starts_with(place + "/")) {
      return true;
    }
    begin = end + 1;
  }
  return false;
}

// A link's digests hang together: which of them was edited nobody can tell, but which link.
std::string link_or_place(const Pointer& place) {
  const std::string text = place.to_string();
  return text.starts_with("/chain/") ? text.substr(0, text.find('/', 7)) : text;
}

void expect_refused(const Json& edited, const Pointer& place, const std::string& how) {
  Files files = sample_files();
  files[kMain] = base::dump_pretty(edited) + "\n";
  const std::string refused = refusal(files);
  EXPECT_FALSE(refused.empty()) << place.to_string() << " " << how << " is accepted";
  const bool named = place.to_string() == "/version" ? refused.find("/version") != std::string::npos
                                                     : names(refused, link_or_place(place));
  EXPECT_TRUE(named) << place.to_string() << " " << how << " is not named by:\n" << refused.substr(0, 2000);
}

TEST(EveryField, TheSampleHolds) {
  EXPECT_EQ(refusal(sample_files()), "");
  const Json whole = certificate();
  EXPECT_EQ(whole["status"], "confirmed");
  EXPECT_EQ(whole["hypotheses"]["tested"].size(), 2U);
  // Two own links of the promotion with another campaign's between, and the confirmation's.
  EXPECT_EQ(whole["chain"].size(), 4U);
  EXPECT_GT(places_of(whole).size(), 400U);
}

TEST(EveryField, ChangedIsRefused) {
  const Json whole = certificate();
  for (const Pointer& place : places_of(whole)) {
    if (!whole[place].is_structured()) {
      Json edited = whole;
      edited[place] = changed(whole[place]);
      ASSERT_NE(edited, whole) << place.to_string();
      expect_refused(edited, place, "changed");
    }
  }
}

TEST(EveryField, RemovedIsRefused) {
  const Json whole = certificate();
  for (const Pointer& place : places_of(whole)) {
    const Json& around = whole[place.parent_pointer()];
    if (around.is_object()) {
      Json edited = whole;
      edited[place.parent_pointer()].erase(place.back());
      expect_refused(edited, place, "removed");
    }
  }
}

TEST(EveryField, AddedIsRefused) {
  const Json whole = certificate();
  std::vector<Pointer> places = places_of(whole);
  places.emplace_back();
  for (const Pointer& place : places) {
    if (whole[place].is_object()) {
      Json edited = whole;
      edited[place]["zzz"] = 1;
      expect_refused(edited, place / "zzz", "added");
    } else if (whole[place].is_array()) {
      Json edited = whole;
      edited[place].push_back(whole[place].empty() ? Json(1) : whole[place].back());
      expect_refused(edited, place, "made longer");
    }
  }
}

TEST(EveryField, OfAnotherTypeOrPrecisionIsRefused) {
  const Json whole = certificate();
  for (const Pointer& place : places_of(whole)) {
    const Json& value = whole[place];
    Json edited = whole;
    if (value.is_number_float()) {
      edited[place] = std::nextafter(value.get<double>(), 1e300);  // The seventeenth digit.
    } else if (value.is_number()) {
      edited[place] = value.get<double>();  // 3.0 for 3.
    } else {
      continue;
    }
    if (base::dump_compact(edited[place]) != base::dump_compact(value)) {
      expect_refused(edited, place, "of another type or precision");
    }
  }
}

TEST(EveryField, OfALinkThatWasChainedInAnotherWayIsRefused) {
  Json edited = certificate();
  edited["chain"][0]["chained"] = "at migration";
  expect_refused(edited, Pointer("/chain/0/chained"), "changed");
}

TEST(EveryByte, OfEveryFileIsCovered) {
  constexpr std::size_t kAll = 300;
  constexpr std::size_t kSampled = 40;
  for (const auto& [path, content] : sample_files()) {
    ASSERT_FALSE(content.empty()) << path;
    const std::size_t count = content.size() <= kAll ? content.size() : kSampled;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = i * (content.size() - 1) / std::max<std::size_t>(count - 1, 1);
      Files files = sample_files();
      files[path][at] = static_cast<char>(files[path][at] ^ 1);
      const std::string refused = refusal(files);
      EXPECT_FALSE(refused.empty()) << path << ": byte " << at << " is not covered";
      if (path != kMain) {
        EXPECT_TRUE(names(refused, path)) << path << ": byte " << at << " is not named by:\n" << refused;
      }
    }
  }
}

TEST(EveryByte, NoneMayBeMissingOrMore) {
  for (const auto& [path, content] : sample_files()) {
    Files shorter = sample_files();
    shorter[path].pop_back();
    EXPECT_NE(refusal(shorter), "") << path;
    Files longer = sample_files();
    longer[path] += ' ';
    EXPECT_NE(refusal(longer), "") << path;
    Files without = sample_files();
    without.erase(path);
    EXPECT_NE(refusal(without), "") << path;
  }
  Files more = sample_files();
  more["sweep/note.txt"] = "x";
  EXPECT_TRUE(names(refusal(more), "sweep/note.txt"));
}

TEST(EverySample, ChangedIsRefusedByItsProcessPair) {
  for (const std::string path : {"sweep/samples.json", "confirmation/samples.json"}) {
    const Json samples = base::parse_json(sample_files().at(path), path).value();
    const std::size_t count = samples["pair"].size();
    ASSERT_GT(count, 20U);
    for (std::size_t i = 0; i < count; ++i) {
      // The time that counts of each, and one more of its fields in turn.
      constexpr std::array<const char*, 3> kOthers = {"order", "repetition", "round_trip_ns"};
      for (const char* column : {"elapsed_ns", kOthers[i % kOthers.size()]}) {
        Files files = sample_files();
        Json edited = samples;
        edited[column][i] = edited[column][i].get<std::int64_t>() + 1;
        files[path] = base::dump_compact(edited);
        EXPECT_THAT(refusal(files), ::testing::HasSubstr(fmt::format("{}: the samples of process pair {} have SHA-256",
                                                                     path, samples["pair"][i].get<int>())))
            << column << " of sample " << i;
      }
    }
  }
}

TEST(EverySample, MovedToAnotherPairSideOrWorkloadIsRefused) {
  constexpr std::array<const char*, 4> kColumns = {"pair", "workload", "side", "checked"};
  const std::string path = "sweep/samples.json";
  const Json samples = base::parse_json(sample_files().at(path), path).value();
  for (std::size_t i = 0; i < samples["pair"].size(); ++i) {
    const char* column = kColumns[i % kColumns.size()];
    Files files = sample_files();
    edit(files, path, [&](Json& edited) {
      if (edited[column].is_array()) {
        edited[column][i] = edited[column][i].get<int>() == 0 ? 1 : 0;
      } else {
        auto letters = edited[column].get<std::string>();
        letters[i] = letters[i] == 'c' ? 'i' : letters[i] == 'i' ? 'c' : letters[i] == '0' ? '1' : '0';
        edited[column] = letters;
      }
    });
    EXPECT_TRUE(names(refusal(files), path)) << column << " of sample " << i;
  }
}

}  // namespace
}  // namespace assay::certify
