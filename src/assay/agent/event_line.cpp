#include <assay/agent/event_line.hpp>

#include <nlohmann/json.hpp>

namespace assay::agent {
namespace {

constexpr std::int64_t kLargestCount = 1'000'000'000'000'000;
constexpr unsigned kTopBits = 0xC0;
constexpr unsigned kContinuation = 0x80;

}  // namespace

std::optional<EventJson> parse_event(std::string_view line) {
  // Without exceptions the parser gives a discarded value for all that it cannot read, numbers out of range too.
  EventJson event = EventJson::parse(
      line,
      [](int depth, EventJson::parse_event_t /*kind*/, const EventJson& /*parsed*/) { return depth <= kDeepestEvent; },
      false);
  if (!event.is_object()) {
    return std::nullopt;
  }
  return event;
}

const EventJson* find_value(const EventJson& event, std::initializer_list<std::string_view> keys) {
  const EventJson* value = &event;
  for (const std::string_view key : keys) {
    if (!value->is_object()) {
      return nullptr;
    }
    const auto found = value->find(std::string(key));
    if (found == value->end()) {
      return nullptr;
    }
    value = &*found;
  }
  return value;
}

std::string_view find_text(const EventJson& event, std::initializer_list<std::string_view> keys) {
  const EventJson* value = find_value(event, keys);
  return value != nullptr && value->is_string() ? std::string_view(value->get_ref<const std::string&>())
                                                : std::string_view();
}

std::optional<std::int64_t> find_count(const EventJson& event, std::initializer_list<std::string_view> keys) {
  const EventJson* value = find_value(event, keys);
  if (value == nullptr || !value->is_number_unsigned()) {
    return std::nullopt;
  }
  const auto count = value->get<std::uint64_t>();
  return count <= static_cast<std::uint64_t>(kLargestCount) ? std::optional(static_cast<std::int64_t>(count))
                                                            : std::nullopt;
}

std::optional<bool> find_flag(const EventJson& event, std::initializer_list<std::string_view> keys) {
  const EventJson* value = find_value(event, keys);
  return value != nullptr && value->is_boolean() ? std::optional(value->get<bool>()) : std::nullopt;
}

std::string clip(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) {
    return std::string(text);
  }
  std::size_t end = limit;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & kTopBits) == kContinuation) {
    --end;
  }
  return std::string(text.substr(0, end));
}

}  // namespace assay::agent
