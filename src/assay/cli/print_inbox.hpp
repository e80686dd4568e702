#pragma once

#include <string>
#include <vector>

#include <assay/service/inbox.hpp>

namespace assay::cli {

/// Each decision with its dossier, its options, and what happens if nobody answers.
[[nodiscard]] std::string print_inbox(const std::vector<service::InboxItem>& items);

/// Says where a person's words are now.
[[nodiscard]] std::string print_said(const service::Said& said);

}  // namespace assay::cli
