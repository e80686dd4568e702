#pragma once

#include <functional>
#include <memory>
#include <string>

#include <assay/base/error.hpp>
#include <assay/dataset/dataset.hpp>
#include <assay/execute/judge_runner.hpp>
#include <assay/service/places.hpp>
#include <assay/task/named.hpp>

namespace assay::service {

class TakesSubmissions;

/// What every use case needs from outside. Real in the program (`make_context`), partly fake in tests.
struct Context {
  Places places;
  /// Makes a way to the judge; called once for each thread that runs one.
  std::function<std::unique_ptr<execute::JudgeRunner>()> make_runner;
  /// Says what decides a timing on this device, as the judge would record it with a result, without running anything.
  std::function<base::Result<task::Named<std::string>>(const std::string& device)> fingerprint;
  /// Offers a campaign's tools to an agent in its sandbox, at a socket that it makes, for as long as what it returns lives;
  /// empty where there are none to be had (the layer `mcp` lies above this one).
  std::function<base::Result<std::shared_ptr<void>>(const Context& context, const std::string& campaign,
                                                    TakesSubmissions& desk, const os::Path& socket)>
      offer_tools;
  /// Shows how far the judge is; may be empty.
  std::function<void(const execute::Progress&)> on_progress;
};

/// Makes the real thing: the judge that lies beside this executable.
[[nodiscard]] Context make_context(const Surroundings& surroundings);
[[nodiscard]] Context make_context(Places places);

/// Opens the dataset of this run. Without one, the error lists where it was looked for and how to name one.
[[nodiscard]] base::Result<dataset::Dataset> open_dataset(const Context& context);

/// Runs `assay-judge --describe --json --device DEVICE` and returns its answer.
[[nodiscard]] base::Result<base::Json> describe_machine(const Places& places, const std::string& device);

}  // namespace assay::service
