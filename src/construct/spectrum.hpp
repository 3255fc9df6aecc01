// The leading directions of a sample of unit rows: how many dimensions the vectors really have.
#pragma once

#include <algorithm>
#include <vector>

#include "giga/base/row_source.hpp"
#include "giga/base/types.hpp"

namespace giga {

struct Spectrum {
  Index padded_dim = 0;
  std::vector<double> directions;  // orthonormal, padded, by falling energy
  std::vector<double> energy;      // share of the squared norm of the sampled unit rows along each

  [[nodiscard]] Index num_directions() const { return static_cast<Index>(energy.size()); }
  /// Share of the first `count` directions together.
  [[nodiscard]] double energy_of(Index count) const;
  /// The fewest directions with at least this share; all of them if even they have less.
  [[nodiscard]] Index count_for(double share) const;
};

/// Rows enough to tell whether there are leading directions, and to find them well.
inline constexpr Index kProbeRows = 256;
inline constexpr Index kSpectrumRows = 2048;

/// How many to sample of a table of so many rows: beyond 32 kProbeRows as many that finding the directions
/// costs no more than a pass over the table, and kSpectrumRows at most. Smaller tables get kProbeRows, which
/// costs more than that.
[[nodiscard]] constexpr Index spectrum_rows(Index num_rows) {
  constexpr Index kShare = 32;  // a sampled row costs so many times what a row of the pass does
  return std::clamp(num_rows / kShare, kProbeRows, kSpectrumRows);
}

/// From at most `sample_rows` rows evenly spread over the table, at most 32 directions, by subspace
/// iteration: shares are never overstated by more than the sample is unlike the table.
[[nodiscard]] Spectrum sample_spectrum(const RowSource& rows, Index sample_rows);

}  // namespace giga
