#pragma once

#include <functional>

#include <assay/cli/arguments.hpp>

namespace CLI {
class App;
}

namespace assay::cli {

/// What a command line is being parsed into. `arguments.command` is set when the parser meets a command.
struct Draft {
  Arguments arguments;
  bool json = false;
};

/// Declare groups of commands with their options, help and examples. Several files share the work, since CLI11 costs
/// seconds a translation unit. `draft` must live until the parser has run.
void declare_judging(CLI::App& app, Draft& draft);    ///< doctor, validate, evaluate, compare, selftest
void declare_campaigns(CLI::App& app, Draft& draft);  ///< campaign, policy, approve, report, certificate
void declare_archive(CLI::App& app, Draft& draft);    ///< candidates, show, export, archive
void declare_dataset(CLI::App& app, Draft& draft);    ///< dataset
void declare_foreign(CLI::App& app, Draft& draft);    ///< audit, import
void declare_agents(CLI::App& app, Draft& draft);     ///< agent
void declare_mcp(CLI::App& app, Draft& draft);        ///< mcp
void declare_people(CLI::App& app, Draft& draft);     ///< inbox, steer
void declare_skills(CLI::App& app, Draft& draft);     ///< skills

}  // namespace assay::cli
