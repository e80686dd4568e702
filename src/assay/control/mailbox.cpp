#include <assay/control/mailbox.hpp>

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include <assay/base/json.hpp>
#include <assay/base/random.hpp>
#include <assay/control/supervision.hpp>

namespace assay::control {
namespace {

os::Path mailbox_of(const os::Path& archive, const std::string& campaign) { return archive / "messages" / campaign; }

base::Result<Message> read_message(const os::Path& file) {
  ASSAY_TRY_ASSIGN(const std::string text, os::read_file(file));
  const auto json = base::parse_json(text, file.string());
  const bool shaped = json && json->is_object() && json->size() == 2 && json->contains("kind") &&
                      (*json)["kind"].is_string() && json->contains("body");
  auto entry = shaped ? decode_entry({0, (*json)["kind"].get<std::string>(), base::dump_compact((*json)["body"]), {}})
                      : base::Result<Entry>(base::internal_error("mailbox.message", "it has no kind and body"));
  if (!entry || !comes_from_person(*entry)) {
    return base::environment_error(
        "mailbox.message", fmt::format("{} is no message of a person ({}): remove it, and say it again", file.string(),
                                       entry ? "it is the controller's" : entry.error().message));
  }
  return Message{file, std::move(*entry)};
}

}  // namespace

base::Result<void> leave_message(const os::Path& archive, const std::string& campaign, Entry entry) {
  if (!comes_from_person(entry)) {
    return base::internal_error("mailbox.author", "only what a person says may be left for a campaign");
  }
  // In the order in which it was said: two words may come within a second.
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::string name = fmt::format(
      "{:020d}-{:016x}.json", std::chrono::duration_cast<std::chrono::nanoseconds>(now).count(), base::entropy_seed());
  const auto [kind, body] = encode_entry(entry);
  ASSAY_TRY_ASSIGN(base::Json parsed, base::parse_json(body, "message"));
  const base::Json json = {{"kind", kind}, {"body", std::move(parsed)}};
  const os::Path folder = mailbox_of(archive, campaign);
  ASSAY_TRY(os::create_directories(folder));
  return os::write_file_atomic(folder / name, base::dump_compact(json), os::Durability::power);
}

base::Result<std::vector<Message>> waiting_messages(const os::Path& archive, const std::string& campaign) {
  std::vector<Message> messages;
  const os::Path folder = mailbox_of(archive, campaign);
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    return messages;
  }
  ASSAY_TRY_ASSIGN(const std::vector<std::string> names, os::list_directory(folder));
  for (const std::string& name : names) {
    if (!os::is_temporary_name(name)) {
      ASSAY_TRY_ASSIGN(messages.emplace_back(), read_message(folder / name));
    }
  }
  return messages;
}

base::Result<void> remove_message(const Message& message) {
  std::error_code error;
  std::filesystem::remove(message.file, error);
  return error ? base::Result<void>(base::environment_error(
                     "mailbox.remove", fmt::format("{} cannot be removed: {}", message.file.string(), error.message())))
               : base::Result<void>{};
}

}  // namespace assay::control
