#include <assay/certify/chain.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>

#include <assay/control/events.hpp>
#include <assay/task/decoder.hpp>

namespace assay::certify {
namespace {

using base::Json;
using task::Fields;
using task::Node;

// In the order of the enumerators; persisted.
constexpr std::array<std::string_view, 2> kChained = {"with its entry", "at migration"};

base::Digest read_link_digest(const Node& node) {
  const auto digest = base::Digest::parse(node.text());
  if (!digest && node.present()) {
    node.problem("must be 64 lowercase hexadecimal digits");
  }
  return digest.value_or(base::Digest());
}

Link read_link(const Node& node) {
  Link link;
  Fields fields(node);
  link.number =
      fields.required("number").integer({.minimum = 1, .maximum = std::numeric_limits<std::int64_t>::max() / 2});
  if (const Node chained = fields.optional("chained"); chained.present()) {
    link.own = true;
    link.chained = static_cast<archive::Chained>(chained.word(kChained));
    if (const Node evidence = fields.required("evidence"); evidence.has_value()) {
      link.evidence = read_link_digest(evidence);
    }
  }
  link.predecessor = read_link_digest(fields.required("predecessor"));
  link.record = read_link_digest(fields.required("record"));
  return link;
}

std::vector<Link> read_links(const Node& node) {
  std::vector<Link> links;
  for (const Node& item : node.items(1)) {
    links.push_back(read_link(item));
  }
  return links;
}

// Encodes an own link up to what all links have. `which` counts the evidence's decisions from 0.
Json own_fields(const Link& link, std::int64_t number, const Evidence& evidence, std::size_t which,
                base::Digest& record_out) {
  const std::int64_t sequence = evidence.decisions[which];
  const auto entry = static_cast<std::size_t>(sequence) - 1;
  archive::DecisionRecord record;
  record.number = number;
  record.campaign = evidence.configuration.name;
  record.sequence = sequence;
  record.chained = link.chained;
  record.configuration = evidence.configuration_digest;
  record.journal = evidence.journal[entry];
  record.evidence = evidence.manifest_of(sequence);
  if (!record.evidence) {
    record.evidence = link.evidence;
  }
  record_out = archive::record_digest(record);
  return {{"number", number},
          {"campaign", record.campaign},
          {"entry", sequence},
          {"kind", evidence.events[entry].kind},
          {"at", evidence.events[entry].at},
          {"chained", std::string(archive::to_string(link.chained))},
          {"configuration", record.configuration.hex()},
          {"journal", record.journal.hex()},
          {"evidence", record.evidence ? Json(record.evidence->hex()) : Json()}};
}

}  // namespace

base::Result<std::vector<Link>> choose_links(const std::vector<archive::ChainedDecision>& chain,
                                             const Evidence& evidence) {
  std::vector<Link> links;
  const auto is_own = [&](const archive::ChainedDecision& one) {
    return one.campaign == evidence.configuration.name && one.sequence >= evidence.decisions.front() &&
           one.sequence <= evidence.decisions.back();
  };
  std::size_t own = 0;
  for (const archive::ChainedDecision& one : chain) {
    if (own == evidence.decisions.size() || (links.empty() && !is_own(one))) {
      continue;
    }
    links.push_back({one.number, is_own(one), one.chained, one.evidence, one.predecessor, one.record});
    own += is_own(one) ? 1U : 0U;
  }
  if (own != evidence.decisions.size()) {
    return base::environment_error(
        "archive.damaged", fmt::format("campaign {}: {} of its decisions are not in the archive's chain: run `assay "
                                       "archive verify`",
                                       evidence.configuration.name, evidence.decisions.size() - own));
  }
  return links;
}

Json derive_chain(const std::vector<Link>& links, const Evidence& evidence) {
  Json chain = Json::array();
  std::size_t own = 0;
  base::Digest predecessor = links.empty() ? base::Digest() : links.front().predecessor;
  std::int64_t number = links.empty() ? 1 : links.front().number;
  for (const Link& link : links) {
    Json one;
    base::Digest record = link.record;
    if (link.own && own < evidence.decisions.size()) {
      one = own_fields(link, number, evidence, own++, record);
    } else {
      one["number"] = number;
    }
    one["record"] = record.hex();
    one["predecessor"] = predecessor.hex();
    predecessor = archive::link_digest(predecessor, record);
    one["digest"] = predecessor.hex();
    chain.push_back(std::move(one));
    ++number;
  }
  // What the certificate leaves out is derived all the same, so that it is seen to be missing.
  for (; own < evidence.decisions.size(); ++own) {
    base::Digest record;
    Json one = own_fields(Link(), number++, evidence, own, record);
    one["record"] = record.hex();
    one["predecessor"] = predecessor.hex();
    predecessor = archive::link_digest(predecessor, record);
    one["digest"] = predecessor.hex();
    chain.push_back(std::move(one));
  }
  return chain;
}

base::Result<std::vector<Link>> decode_links(const Json& json, std::string_view source) {
  return task::as_result(task::decode_whole(json, task::Coercion::strict, read_links), source);
}

}  // namespace assay::certify
