// What a fit has done so far, on the disk, so that one which was stopped can go on: DIR/partial.
//
//   request.json   what was asked for, written before anything is done
//   state.json     the state after the last stage that ended; it names the files of chains it belongs to
//   chain_R_C.csv  chain C of round R, of the parameters as they were sampled
//
// Every file is written whole or not at all, state.json after those it names. Digests tell files that have
// been changed since.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "giga/pipeline/fit.hpp"

namespace giga {

/// An option as it was given: "max_depth" and "12".
struct Setting {
  std::string name;
  std::string value;
};

class StoppedFit {
 public:
  /// Of a folder that may or may not have one.
  explicit StoppedFit(std::filesystem::path folder);

  struct Request {
    std::string input;  ///< as it was given
    std::filesystem::path absolute_input;
    std::vector<Setting> settings;
  };

  [[nodiscard]] bool exists() const;
  /// Makes the folder, and in it the partial run with the request. What an earlier one left is removed;
  /// throws CannotCreate if there is anything else in its place.
  void begin(const Request& request);
  /// Throws InputMissing if there is none, DataError if it is damaged or of another version.
  [[nodiscard]] Request request() const;

  void save(const FitState& state, const SampleOptions& options, const std::string& data_digest);
  /// An empty state if none was saved. Throws DataError if it is damaged, or of data with another digest.
  [[nodiscard]] FitState load(const std::string& data_digest) const;
  /// Throws DataError unless the chain has so many draws.
  void require_draws(const Chain& chain, Index draws) const;
  /// Whether anything was saved that took time to make.
  [[nodiscard]] bool has_state() const;

  /// Removes the partial run; the folder too if this object made it and nothing else is in it. Throws IoError
  /// if something cannot be removed.
  void remove();
  /// The same after another failure, which is the one to tell of.
  void remove_if_possible() noexcept;

 private:
  void write_request(const Request& request) const;

  std::filesystem::path folder_, partial_;
  bool made_folder_ = false;
};

}  // namespace giga
