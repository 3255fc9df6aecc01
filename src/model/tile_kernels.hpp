// Linear predictors of rows, and the sums that gradients and Hessians of a regression are made of.
//
// Two layouts of up to kTile rows z_n in R^D: `by_component`, where component d of the kTile rows lies
// together (rows beyond the last are zero), and `by_row`. The order of products and sums depends
// neither on the instruction set nor on the position of a row among others.
#pragma once

#include "giga/base/types.hpp"

namespace giga::kernels {

inline constexpr Index kTile = 64;

/// s[i] = <z_i, theta>, i < kTile.
void predict(const double* by_component, Index dim, const double* theta, double* s);

/// sum[d] += sum_i factor[i] z_id.
void add_weighted_rows(const double* by_component, Index dim, const double* factor, double* sum);

/// sum[d * dim + e] += sum_i factor[i] z_id z_ie for e <= d.
void add_weighted_squares(const double* by_component, Index dim, const double* factor, double* sum);

/// out[i * stride + j] = <z_i, theta_j>: `by_row` has `count` rows of `dim`; component d of the points
/// theta_j lies at theta + d * stride; stride is a multiple of 16 and all of it is computed.
void predict_many(const double* by_row, Index count, Index dim, const double* theta, Index stride,
                  double* out);

/// out[d * out_stride + j] += sum_i by_row[i * dim + d] values[i * stride + j] for d < dim and j < many, row
/// after row.
void add_products(const double* by_row, Index count, Index dim, const double* values, Index stride,
                  Index many, double* out, Index out_stride);

/// values[j] *= factor * table[index[j]]; `index` ascends.
void scale_by_chosen(const double* table, double factor, const Index* index, Index count, double* values);

}  // namespace giga::kernels
