// What a coreset keeps of all rows, as JSON. Of the Hessian, which is symmetric, the rows up to the diagonal
// are kept one after the other. An error that is not known is null.
#include <algorithm>
#include <cmath>

#include "record/forms.hpp"

namespace giga::record {
namespace {

Json form_of(const ColumnMoments& moments) {
  return {{"mean", moments.mean}, {"sd", moments.sd}};
}

ColumnMoments moments_of(const Fields& fields) {
  ColumnMoments out{fields.get<std::vector<double>>("mean"), fields.get<std::vector<double>>("sd")};
  if (out.mean.size() != out.sd.size()) fields.refuse("sd", "does not have one entry per mean");
  const auto is_sd = [](double sd) { return std::isfinite(sd) && sd >= 0; };
  if (!std::ranges::all_of(out.sd, is_sd)) fields.refuse("sd", "has a number that is negative");
  return out;
}

Json form_of(const ErrorPart& part) {
  return {{"weight", part.weight}, {"error", part.error}, {"rest", part.rest}, {"corrected", part.corrected}};
}

ErrorPart part_of(const Fields& fields) {
  const ErrorPart part{fields.get<double>("weight"), fields.number("error"), fields.number("rest"),
                       fields.get<bool>("corrected")};
  if (!(part.weight > 0)) fields.refuse("weight", "must be positive");
  return part;
}

Json form_of(const ShardPart& part) {
  Json json = {{"name", part.name}, {"digest", part.digest}, {"N", part.num_rows}};
  json.update(form_of(static_cast<const ErrorPart&>(part)));
  return json;
}

ShardPart shard_of(const Fields& fields) {
  return {part_of(fields), fields.get<std::string>("name"), fields.get<std::string>("digest"),
          fields.get<Index>("N")};
}

Json form_of(const Derivatives& at_point) {
  const std::size_t dim = at_point.gradient.size();
  std::vector<double> triangle;
  for (std::size_t i = 0; i < dim; ++i)
    for (std::size_t j = 0; j <= i; ++j) triangle.push_back(at_point.hessian[i * dim + j]);
  return {{"log_likelihood", at_point.value}, {"gradient", at_point.gradient}, {"hessian", triangle}};
}

Derivatives derivatives_of(const Fields& fields, std::size_t dim) {
  Derivatives out;
  out.value = fields.get<double>("log_likelihood");
  out.gradient = fields.get<std::vector<double>>("gradient");
  const auto triangle = fields.get<std::vector<double>>("hessian");
  if (out.gradient.size() != dim) fields.refuse("gradient", "does not have D entries");
  if (triangle.size() != dim * (dim + 1) / 2) fields.refuse("hessian", "does not have D (D + 1) / 2 entries");
  out.hessian.resize(dim * dim);
  for (std::size_t i = 0, k = 0; i < dim; ++i)
    for (std::size_t j = 0; j <= i; ++j, ++k)
      out.hessian[i * dim + j] = out.hessian[j * dim + i] = triangle[k];
  return out;
}

template <typename Part>
Json forms_of(const std::vector<Part>& parts) {
  Json list = Json::array();
  for (const Part& part : parts) list.push_back(form_of(part));
  return list;
}

}  // namespace

Json form_of(const ShardSums& sums) {
  Json json = {{"weight", sums.weight}, {"zero_rows", sums.num_zero_rows}, {"point", sums.point}};
  json.update(form_of(sums.at_point));
  json["excess"] = form_of(sums.excess);
  json["excess_error"] = sums.excess_error;
  if (!sums.columns.mean.empty()) json["columns"] = form_of(sums.columns);
  if (!sums.slopes.mean.empty()) json["slopes"] = form_of(sums.slopes);
  json["response"] = {{"mean", sums.response_mean}, {"sd", sums.response_sd}};
  json["shards"] = forms_of(sums.shards);
  if (!sums.reductions.empty()) json["reductions"] = forms_of(sums.reductions);
  return json;
}

ShardSums sums_of(const Fields& fields, Index num_parameters, Index num_columns) {
  const auto dim = static_cast<std::size_t>(num_parameters);
  ShardSums out;
  out.weight = fields.get<double>("weight");
  out.num_zero_rows = fields.get<Index>("zero_rows");
  out.point = fields.get<std::vector<double>>("point");
  if (out.point.size() != dim) fields.refuse("point", "does not have D entries");
  out.at_point = derivatives_of(fields, dim);
  out.excess = derivatives_of(fields.at("excess"), dim);
  out.excess_error = fields.number("excess_error");
  if (fields.has("columns")) out.columns = moments_of(fields.at("columns"));
  if (!out.columns.mean.empty() && std::ssize(out.columns.mean) != num_columns)
    fields.refuse("columns", "does not have one entry per column");
  if (fields.has("slopes")) out.slopes = moments_of(fields.at("slopes"));
  out.response_mean = fields.at("response").get<double>("mean");
  out.response_sd = fields.at("response").get<double>("sd");
  out.shards = list_of(fields, "shards", shard_of);
  if (out.shards.empty() || !(out.weight > 0))
    fields.refuse("shards", "must be at least one, with its weight");
  if (fields.has("reductions")) out.reductions = list_of(fields, "reductions", part_of);
  return out;
}

}  // namespace giga::record
