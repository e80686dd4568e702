#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace assay::agent {

/// One event as JSON. Unlike base::Json it does not keep the order of keys: finding a key in one that does takes time in
/// proportion to the keys before it, and a hostile line may have a million.
using EventJson = nlohmann::json;

/// Levels that are kept of an event; deeper values are dropped. No event that is known goes below ten.
inline constexpr int kDeepestEvent = 40;

/// Parses one line of a stream. Keys may repeat, the last one wins: Codex writes two "id" in one object. Nullopt for
/// what is no JSON object.
[[nodiscard]] std::optional<EventJson> parse_event(std::string_view line);

/// The value at these keys, one below the other; nullptr if any is missing or no object.
[[nodiscard]] const EventJson* find_value(const EventJson& event, std::initializer_list<std::string_view> keys);
/// The text there; empty if there is none.
[[nodiscard]] std::string_view find_text(const EventJson& event, std::initializer_list<std::string_view> keys);
/// The count there: a whole number from 0 to 10^15. Nullopt if there is none: an account must not be guessed.
[[nodiscard]] std::optional<std::int64_t> find_count(const EventJson& event,
                                                     std::initializer_list<std::string_view> keys);
/// The truth value there; nullopt if there is none.
[[nodiscard]] std::optional<bool> find_flag(const EventJson& event, std::initializer_list<std::string_view> keys);

/// The beginning of a text, cut between characters to at most `limit` bytes.
[[nodiscard]] std::string clip(std::string_view text, std::size_t limit);

}  // namespace assay::agent
