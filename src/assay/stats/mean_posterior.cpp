#include <assay/stats/mean_posterior.hpp>

#include <cmath>

#include <assay/stats/distributions.hpp>

namespace assay::stats {

double MeanPosterior::quantile(double probability) const {
  return location + scale * student_t_quantile(probability, degrees);
}

MeanPosterior believe(const MeanPrior& prior, std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) {
    sum += value;
  }
  const double mean = count > 0 ? sum / count : 0;
  double squares = prior.degrees * prior.spread * prior.spread;
  for (const double value : values) {
    squares += (value - mean) * (value - mean);
  }
  const double weight = prior.weight + count;
  if (count > 0) {
    squares += prior.weight * count / weight * (mean - prior.location) * (mean - prior.location);
  }
  MeanPosterior posterior;
  posterior.location = (prior.weight * prior.location + sum) / weight;
  posterior.degrees = prior.degrees + count;
  posterior.scale = std::sqrt(squares / (posterior.degrees * weight));
  return posterior;
}

}  // namespace assay::stats
