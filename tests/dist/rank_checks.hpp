// What is true of ranks, whatever carries their messages: the tests with threads and those with MPI call
// these.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "giga/base/error.hpp"
#include "giga/dist/rank_executor.hpp"

namespace giga::test {

/// A total that depends on the order in which parts are joined to it.
inline std::uint64_t chained(const Executor& executor, Index blocks, FoldOptions options = {},
                             const std::function<void(Index block)>& before = {}) {
  std::uint64_t total = 1;
  const Index pieces = options.num_pieces;
  options.block_rows = 10;
  fold_blocks<Index>(
      executor, blocks * 10, pieces, std::span(&total, 1),
      [&before](Index first, Index count, Index piece, Index* part) {
        if (before) before(first / 10);
        part[piece] += first + count * (piece + 1);
      },
      [pieces](const Index* part, std::uint64_t* sum) {
        for (Index i = 0; i < pieces; ++i)
          *sum = *sum * 6364136223846793005U + static_cast<unsigned>(part[i]);
      },
      std::move(options));
  return total;
}

/// What `action` throws, as its type and its words; "" if it throws nothing.
inline std::string thrown_by(const std::function<void()>& action) {
  try {
    action();
    return "";
  } catch (const Stopped&) {
    return "Stopped";
  } catch (const DataError& error) {
    return std::string("DataError ") + error.what();
  } catch (const IoError& error) {
    return std::string("IoError ") + error.what();
  } catch (const ResourceError& error) {
    return std::string("ResourceError ") + error.what();
  } catch (const OptionError& error) {
    return std::string("OptionError ") + error.what();
  } catch (const std::invalid_argument& error) {
    return std::string("invalid_argument ") + error.what();
  } catch (const std::logic_error& error) {
    return std::string("logic_error ") + error.what();
  } catch (const std::exception& error) {
    return std::string("exception ") + error.what();
  } catch (...) {
    return "something";
  }
}

inline std::string words_of(const std::exception_ptr& failure) {
  return thrown_by([&] {
    if (failure) std::rethrow_exception(failure);
  });
}

/// Runs a job on this rank as a program would: what ends it, on this rank alone or on any, is returned.
inline std::string ended_by(Ranks& ranks, const std::function<void()>& job) {
  std::exception_ptr failure;
  try {
    job();
  } catch (...) {
    failure = std::current_exception();
  }
  return words_of(ranks.conclude(failure));
}

}  // namespace giga::test
