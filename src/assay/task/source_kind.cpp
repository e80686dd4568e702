#include <assay/task/source_kind.hpp>

#include <algorithm>
#include <array>

namespace assay::task {
namespace {

struct SourceEnding {
  std::string_view text;
  SourceKind kind;
  bool cuda_only = false;
};

constexpr std::array<SourceEnding, 12> kEndings = {{{".c", SourceKind::c},
                                                    {".cpp", SourceKind::cxx},
                                                    {".cc", SourceKind::cxx},
                                                    {".cxx", SourceKind::cxx},
                                                    {".h", SourceKind::header},
                                                    {".hpp", SourceKind::header},
                                                    {".inc", SourceKind::header},
                                                    {".cu", SourceKind::cuda, true},
                                                    {".cuh", SourceKind::header, true},
                                                    {".hh", SourceKind::header, true},
                                                    {".hxx", SourceKind::header, true},
                                                    {".inl", SourceKind::header, true}}};

bool is_taken(const SourceEnding& ending, Language language) { return !ending.cuda_only || language == Language::cuda; }

// From the last dot of the name on; a name that begins with its only dot has none.
std::string_view ending_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? std::string_view() : name.substr(dot);
}

}  // namespace

std::optional<SourceKind> source_kind(std::string_view path, Language language) {
  const std::string_view ending = ending_of(path);
  const auto found = std::find_if(kEndings.begin(), kEndings.end(), [&](const SourceEnding& one) {
    return one.text == ending && is_taken(one, language);
  });
  return found == kEndings.end() ? std::nullopt : std::optional(found->kind);
}

std::string source_endings(Language language) {
  std::string known;
  for (const SourceEnding& ending : kEndings) {
    if (is_taken(ending, language)) {
      known += (known.empty() ? "" : " ") + std::string(ending.text);
    }
  }
  return known;
}

}  // namespace assay::task
