#pragma once

#include <string>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/control/events.hpp>
#include <assay/os/file.hpp>

/// How a person reaches a campaign while it runs, and alone may write to the archive: the words lie as a file in
/// messages/CAMPAIGN/ of the archive's folder until the campaign takes them into its journal, before its next step. The
/// journal is what counts; a file is only on its way there. A message that was taken and whose file could not be removed any
/// more is not taken twice: an answer does not fit a decision that has one, and a steer carries the message's name.
namespace assay::control {

struct Message {
  os::Path file;
  Entry entry = CampaignStarted{};
};

/// Leaves an entry of a person's (comes_from_person) for the campaign. Another is an internal error.
[[nodiscard]] base::Result<void> leave_message(const os::Path& archive, const std::string& campaign, Entry entry);

/// Lists what waits, the oldest first. A file that is no such message is an environment error that names it.
[[nodiscard]] base::Result<std::vector<Message>> waiting_messages(const os::Path& archive, const std::string& campaign);

[[nodiscard]] base::Result<void> remove_message(const Message& message);

}  // namespace assay::control
