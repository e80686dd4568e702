#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include <assay/archive/archive.hpp>
#include <assay/archive/decisions.hpp>
#include <assay/archive/store.hpp>
#include <assay/base/json.hpp>
#include <assay/base/text.hpp>
#include <assay/base/time.hpp>

namespace assay::archive {
namespace {

constexpr std::size_t kLongestName = 200;

base::Result<void> check_json_object(const std::string& text, const std::string& what) {
  const auto json = base::parse_json(text, what);
  if (!json || !json->is_object()) {
    return base::internal_error(
        "archive.not_json", fmt::format("{} must be a JSON object{}", what, json ? "" : ": " + json.error().text()));
  }
  return {};
}

base::Result<void> check_name(const std::string& name) {
  const bool good = !name.empty() && name.size() <= kLongestName && name.find('/') == std::string::npos &&
                    base::printable(name) == name && base::trim(name) == name;
  if (good) {
    return {};
  }
  return base::input_error(
      "campaign.name", fmt::format("\"{}\" cannot name a campaign: use 1 to {} printable characters without '/', not "
                                   "beginning or ending with a space",
                                   base::printable(name), kLongestName));
}

base::Result<std::int64_t> last_sequence(const Database& database, const std::string& campaign) {
  ASSAY_TRY_ASSIGN(Rows rows,
                   database.query("SELECT coalesce(max(sequence), 0) FROM events WHERE campaign = ?", {campaign}));
  ASSAY_TRY_ASSIGN(const bool found, rows.next());
  return found ? rows.integer(0) : std::int64_t{0};
}

base::Result<std::vector<Campaign>> read_campaigns(const Database& database, const std::string& condition,
                                                   const std::vector<Value>& values) {
  ASSAY_TRY_ASSIGN(Rows rows, database.query("SELECT name, definition, configuration, created FROM campaigns " +
                                                 condition + " ORDER BY rowid",
                                             values));
  std::vector<Campaign> found;
  while (true) {
    ASSAY_TRY_ASSIGN(const bool more, rows.next());
    if (!more) {
      return found;
    }
    found.push_back({rows.text(0), rows.text(1), rows.text(2), rows.text(3)});
  }
}

}  // namespace

base::Result<bool> has_campaign(const Database& database, std::string_view name) {
  ASSAY_TRY_ASSIGN(Rows rows, database.query("SELECT 1 FROM campaigns WHERE name = ?", {std::string(name)}));
  return rows.next();
}

tl::unexpected<base::Error> no_campaign(const Database& database, std::string_view name) {
  std::vector<std::string> known;
  if (const auto all = read_campaigns(database, "", {})) {
    std::transform(all->begin(), all->end(), std::back_inserter(known), [](const Campaign& one) { return one.name; });
  }
  const std::string near = base::nearest(name, known);
  return base::input_error("campaign.not_found",
                           fmt::format("there is no campaign \"{}\" in {}{}", base::printable(name), database.file(),
                                       !near.empty()   ? fmt::format(": did you mean \"{}\"?", near)
                                       : known.empty() ? ": it has none yet; `assay campaign run` begins one"
                                                       : ": it has " + base::join(known, ", ")));
}

base::Result<void> check_events(const Append& append) {
  for (std::size_t i = 0; i < append.events.size(); ++i) {
    const auto& [kind, body] = append.events[i];
    const std::string what = fmt::format("campaign {}: event {} of the append ({})", append.campaign, i, kind);
    if (kind.empty()) {
      return base::internal_error("archive.event_kind", what + " has no kind");
    }
    ASSAY_TRY(check_json_object(body, what));
  }
  return {};
}

base::Result<void> insert_events(const Database& database, const Append& append) {
  ASSAY_TRY_ASSIGN(const bool known, has_campaign(database, append.campaign));
  if (!known) {
    return no_campaign(database, append.campaign);
  }
  ASSAY_TRY_ASSIGN(std::int64_t sequence, last_sequence(database, append.campaign));
  if (sequence != append.after) {
    return base::environment_error(
        "archive.moved",
        fmt::format("campaign {}: its journal is at entry {} and the writer knows it up to {}: another process has "
                    "continued it; read it again (`assay campaign resume`)",
                    append.campaign, sequence, append.after));
  }
  const std::string now = base::utc_now();
  for (const auto& [kind, body] : append.events) {
    ASSAY_TRY(database.execute("INSERT INTO events (campaign, sequence, kind, body, at) VALUES (?, ?, ?, ?, ?)",
                               {append.campaign, ++sequence, kind, body, now}));
    if (is_decision(kind)) {
      ASSAY_TRY(chain_decision(database, append.campaign, sequence, Chained::with_entry));
    }
  }
  return {};
}

base::Result<void> Archive::create_campaign(const Campaign& campaign) {
  ASSAY_TRY(implementation_->require_writer("create a campaign"));
  ASSAY_TRY(check_name(campaign.name));
  ASSAY_TRY(check_json_object(campaign.configuration, "the configuration of campaign " + campaign.name));
  const Database& database = implementation_->database;
  ASSAY_TRY_ASSIGN(Transaction transaction, Transaction::begin(database, Transaction::Kind::write));
  ASSAY_TRY_ASSIGN(const bool known, has_campaign(database, campaign.name));
  if (known) {
    return base::input_error(
        "campaign.exists", fmt::format("there is a campaign \"{}\" already: continue it with `assay campaign resume`, "
                                       "or choose another name",
                                       campaign.name));
  }
  ASSAY_TRY(database.execute("INSERT INTO campaigns (name, definition, configuration, created) VALUES (?, ?, ?, ?)",
                             {campaign.name, campaign.definition, campaign.configuration,
                              campaign.created.empty() ? base::utc_now() : campaign.created}));
  return transaction.commit();
}

base::Result<std::optional<Campaign>> Archive::campaign(std::string_view name) const {
  ASSAY_TRY_ASSIGN(auto found, read_campaigns(implementation_->database, "WHERE name = ?", {std::string(name)}));
  return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

base::Result<std::vector<Campaign>> Archive::campaigns() const {
  return read_campaigns(implementation_->database, "", {});
}

base::Result<void> Archive::append(const Append& append) {
  ASSAY_TRY(implementation_->require_writer("append to a journal"));
  ASSAY_TRY(check_events(append));
  ASSAY_TRY_ASSIGN(Transaction transaction, Transaction::begin(implementation_->database, Transaction::Kind::write));
  ASSAY_TRY(insert_events(implementation_->database, append));
  return transaction.commit();
}

base::Result<std::vector<Event>> Archive::events(std::string_view campaign) const {
  const Database& database = implementation_->database;
  ASSAY_TRY_ASSIGN(const bool known, has_campaign(database, campaign));
  if (!known) {
    return no_campaign(database, campaign);
  }
  ASSAY_TRY_ASSIGN(Rows rows,
                   database.query("SELECT sequence, kind, body, at FROM events WHERE campaign = ? ORDER BY sequence",
                                  {std::string(campaign)}));
  std::vector<Event> found;
  while (true) {
    ASSAY_TRY_ASSIGN(const bool more, rows.next());
    if (!more) {
      return found;
    }
    found.push_back({rows.integer(0), rows.text(1), rows.text(2), rows.text(3)});
  }
}

}  // namespace assay::archive
