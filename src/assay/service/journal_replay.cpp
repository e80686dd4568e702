#include <assay/service/journal_replay.hpp>

#include <filesystem>

#include <assay/archive/archive.hpp>
#include <assay/os/file.hpp>
#include <assay/service/solutions.hpp>

namespace assay::service {
namespace {

base::Result<os::TemporaryDirectory> replay_folder() {
  std::error_code error;
  return os::TemporaryDirectory::create(std::filesystem::temp_directory_path(error), "assay-replay-");
}

}  // namespace

base::Result<control::JournalReplay> replay_journal(const Context& context, const std::string& campaign) {
  ASSAY_TRY_ASSIGN(const archive::Archive archive, archive::Archive::open_reader(context.places.archive));
  ASSAY_TRY_ASSIGN(const os::TemporaryDirectory scratch, replay_folder());
  return control::replay_journal(archive, campaign, scratch.path());
}

base::Result<control::PolicyReplay> replay_under_policy(const Context& context, const std::string& campaign,
                                                        const std::string& policy) {
  ASSAY_TRY_ASSIGN(const promote::Policy other, resolve_policy(policy));
  ASSAY_TRY_ASSIGN(const archive::Archive archive, archive::Archive::open_reader(context.places.archive));
  ASSAY_TRY_ASSIGN(const os::TemporaryDirectory scratch, replay_folder());
  return control::replay_under_policy(archive, campaign, other, scratch.path());
}

}  // namespace assay::service
