#include <assay/supervise/words.hpp>

#include <cstddef>

namespace assay::supervise {
namespace {

constexpr std::array<std::string_view, kConditions> kConditionWords = {
    "a phantom gain", "a regression", "a stall", "a cycle", "a plateau", "diminishing returns"};
constexpr std::array<std::string_view, kConditions> kConditionLabels = {"phantom", "regression", "stall",
                                                                        "cycle",   "plateau",    "diminishing"};
constexpr std::array<std::string_view, kCauses> kCauseWords = {
    "the noise floor is too high", "too many attempts are invalid", "the search goes in circles",
    "the roofline is near",        "the machines failed",           "none of the known causes"};
constexpr std::array<std::string_view, kRecoveries> kRecoveryWords = {"buy repeats", "fix the prompt",
                                                                      "close the route", "stop", "ask a person"};

}  // namespace

std::string_view to_string(Condition condition) { return kConditionNames[static_cast<std::size_t>(condition)]; }
std::string_view to_string(Cause cause) { return kCauseNames[static_cast<std::size_t>(cause)]; }
std::string_view to_string(Recovery recovery) { return kRecoveryNames[static_cast<std::size_t>(recovery)]; }

std::string_view short_words(Condition condition) { return kConditionLabels[static_cast<std::size_t>(condition)]; }

std::string_view in_words(Condition condition) { return kConditionWords[static_cast<std::size_t>(condition)]; }
std::string_view in_words(Cause cause) { return kCauseWords[static_cast<std::size_t>(cause)]; }
std::string_view in_words(Recovery recovery) { return kRecoveryWords[static_cast<std::size_t>(recovery)]; }

}  // namespace assay::supervise
