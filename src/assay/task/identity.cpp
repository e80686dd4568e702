#include <algorithm>
#include <array>

#include <assay/task/solution.hpp>
#include <assay/task/source_path.hpp>

namespace assay::task {

namespace {

// Part of every identity: a change of what is hashed, or how, needs a new tag. Persisted in archives.
constexpr std::string_view kContentTag = "assay.candidate.content.1";
constexpr std::string_view kEarlierNormalisedTag = "assay.candidate.normalised.1";  // Folded blanks everywhere.
constexpr std::string_view kNormalisedTag = "assay.candidate.normalised.2";

bool is_c_family(const Solution& solution, std::string_view path) {
  const Language language = solution.spec.language;
  if (language != Language::cpp && language != Language::cuda && language != Language::cutlass) {
    return false;
  }
  constexpr std::array<std::string_view, 12> kExtensions = {"c",  "cc",  "cpp", "cxx", "cu",  "h",
                                                            "hh", "hpp", "hxx", "cuh", "inl", "inc"};
  const std::size_t dot = path.rfind('.');
  const std::string_view extension = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  return std::find(kExtensions.begin(), kExtensions.end(), extension) != kExtensions.end();
}

// Counts frame the lists, so that an element cannot move from one list to the next unseen.
void update_count(base::Sha256& hash, std::size_t count) { hash.update_framed(std::to_string(count)); }

void update_spec(base::Sha256& hash, const BuildSpec& spec) {
  hash.update_framed(to_string(spec.language));
  hash.update_framed(spec.entry_point);
  hash.update_framed(spec.binding ? to_string(*spec.binding) : std::string_view());
  hash.update_framed(spec.destination_passing_style ? "destination" : "value");
  update_count(hash, spec.dependencies.size());
  for (const std::string& dependency : spec.dependencies) {
    hash.update_framed(dependency);
  }
}

void update_parameters(base::Sha256& hash, Named<std::int64_t> parameters) {
  std::sort(parameters.begin(), parameters.end());
  update_count(hash, parameters.size());
  for (const auto& [name, value] : parameters) {
    hash.update_framed(name);
    hash.update_framed(std::to_string(value));
  }
}

using SortedSources = std::vector<std::pair<std::string, const SourceFile*>>;

SortedSources sorted_sources(const Solution& solution) {
  SortedSources sources;
  for (const SourceFile& source : solution.sources) {
    sources.emplace_back(normalise_source_path(source.path), &source);
  }
  std::sort(sources.begin(), sources.end(),
            [](const auto& left, const auto& right) { return left.first < right.first; });
  return sources;
}

void begin_identity(base::Sha256& hash, std::string_view tag, const Solution& solution) {
  hash.update_framed(tag);
  update_spec(hash, solution.spec);
  update_parameters(hash, solution.parameters);
  update_count(hash, solution.sources.size());
}

base::Digest normalised_digest(std::string_view tag, const Solution& solution, const SortedSources& sources,
                               LayoutUse use) {
  base::Sha256 hash;
  begin_identity(hash, tag, solution);
  for (const auto& [path, source] : sources) {
    hash.update_framed(path);
    hash.update_framed(is_c_family(solution, path) ? normalise_source(source->content, use) : source->content);
  }
  return hash.finish();
}

}  // namespace

CandidateIdentity identify(const Solution& solution) {
  const SortedSources sources = sorted_sources(solution);
  base::Sha256 content;
  begin_identity(content, kContentTag, solution);
  LayoutUse use = LayoutUse::none;
  for (const auto& [path, source] : sources) {
    content.update_framed(path);
    content.update_framed(source->content);
    if (is_c_family(solution, path)) {
      use = std::max(use, layout_use(source->content));
    }
  }
  return {content.finish(), normalised_digest(kNormalisedTag, solution, sources, use)};
}

base::Digest earlier_normalised(const Solution& solution) {
  return normalised_digest(kEarlierNormalisedTag, solution, sorted_sources(solution), LayoutUse::blanks);
}

}  // namespace assay::task
