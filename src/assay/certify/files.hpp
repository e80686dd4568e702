#pragma once

#include <map>
#include <string>
#include <string_view>

#include <assay/base/error.hpp>
#include <assay/os/file.hpp>

namespace assay::certify {

/// What a certificate's folder holds, by path below it with '/' between the parts. Persisted; never renamed.
///   certificate.json     what is certified; every field follows from the files below, or is a link of the chain
///   certificate.md       the same in words
///   configuration.json   the campaign's configuration as it is archived: definition, workloads, baseline, policy
///   journal.jsonl        the campaign's journal up to the last decision that is certified, an entry a line
///   sweep/…              the bundle of the sweep, whole (task/bundle.hpp)
///   confirmation/…       the bundle of the confirmation; absent before there is one
using Files = std::map<std::string, std::string>;

inline constexpr std::string_view kCertificateFile = "certificate.json";
inline constexpr std::string_view kPageFile = "certificate.md";
inline constexpr std::string_view kConfigurationFile = "configuration.json";
inline constexpr std::string_view kJournalFile = "journal.jsonl";
inline constexpr std::string_view kSweepFolder = "sweep";
inline constexpr std::string_view kConfirmationFolder = "confirmation";

/// Reads all files below a folder, or below that of a certificate.json. What is no regular file is an input error that
/// names it: a link could show one content to a person and another to a program.
[[nodiscard]] base::Result<Files> read_folder(const os::Path& folder_or_certificate);

/// Writes a folder that must not exist yet, whole or not at all.
[[nodiscard]] base::Result<void> write_folder(const os::Path& folder, const Files& files);

}  // namespace assay::certify
