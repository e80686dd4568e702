#include <assay/task/known_sources.hpp>

#include <cstring>

namespace assay::task {

// A SHA-256 is as even as any hash of it.
std::size_t KnownSources::Hash::operator()(const base::Digest& digest) const {
  std::size_t hash = 0;
  std::memcpy(&hash, digest.bytes().data(), sizeof hash);
  return hash;
}

std::optional<SourceRepeat> KnownSources::find(const CandidateIdentity& identity) const {
  if (const auto found = by_content_.find(identity.content); found != by_content_.end()) {
    return SourceRepeat{found->second, SourceSameness::content};
  }
  if (const auto found = by_normalised_.find(identity.normalised); found != by_normalised_.end()) {
    return SourceRepeat{found->second, SourceSameness::normalised};
  }
  return std::nullopt;
}

void KnownSources::add(int number, const CandidateIdentity& identity) {
  by_content_.try_emplace(identity.content, number);
  by_normalised_.try_emplace(identity.normalised, number);
}

}  // namespace assay::task
