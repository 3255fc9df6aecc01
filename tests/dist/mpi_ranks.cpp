// Ranks of MPI, as mpirun starts them: the same checks as with threads, on as many ranks as there are. Exit
// code 1, and what is wrong, if one of them fails. With a word it ends in that way instead:
//
//   data      bad data in a block of the last rank
//   alone     an error of the last rank, where nobody waits for it
//   terminate an exception that nobody catches, on the last rank
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

#include "dist/mpi_handles.hpp"
#include "dist/rank_checks.hpp"
#include "giga/dist/mpi_transport.hpp"

namespace giga::test {
namespace {

int g_faults = 0;

void expect(bool holds, const std::string& claim) {
  if (holds) return;
  ++g_faults;
  std::fprintf(stderr, "not true: %s\n", claim.c_str());
}

void check_folds(const Executor& executor) {
  for (const Index blocks : {0, 1, 2, 5, 40, 101}) {
    for (const Index at_once : {0, 1, 3}) {
      const FoldOptions options{.num_pieces = 2, .at_once = at_once};
      expect(chained(executor, blocks, options) == chained(Serial(), blocks, options),
             "a fold of " + std::to_string(blocks) + " blocks is that of one process");
    }
  }
  // Messages beyond what is sent at once without waiting for the receiver.
  constexpr Index kWidth = 300'000;
  const auto sum = [](const Executor& by) {
    return sum_blocks(by, 6 * kBlockRows, kWidth, [](Index first, Index /*count*/, double* part) {
      for (Index i = 0; i < kWidth; ++i) part[i] = 1.0 / static_cast<double>(first + i + 1);
    });
  };
  expect(sum(executor) == sum(Serial()), "large totals are those of one process");
}

void check_pieces(const Executor& executor) {
  for (const Index count : {0, 1, 4, 11}) {
    const std::vector<Bytes> all = executor.spread(
        count, [](Index i) { return Bytes(static_cast<std::size_t>(i * i), static_cast<std::byte>(i)); });
    for (Index i = 0; i < count; ++i) {
      expect(all[at(i)] == Bytes(at(i * i), static_cast<std::byte>(i)),
             "every rank has the result of piece " + std::to_string(i));
    }
  }
}

void check_failures(Ranks& ranks, const Executor& executor) {
  const std::string words = thrown_by([&] {
    (void)chained(executor, 40, {}, [](Index block) {
      if (block >= 21) throw DataError("block " + std::to_string(block));
    });
  });
  expect(words == "DataError block 21", "the error of the lowest block is thrown: " + words);
  expect(ranks.texts("rank " + std::to_string(ranks.rank())).back() ==
             "rank " + std::to_string(ranks.size() - 1),
         "texts travel");
}

void check_handles() {
  const MpiHandles handles = mpi_handles();
  expect(handles.begun > 0 && handles.made > 0, "calls of MPI are counted");
  expect(handles.open_requests == 0,
         "requests are completed, not " + std::to_string(handles.open_requests) + " of them");
  expect(handles.open_communicators == 0,
         "communicators are freed, not " + std::to_string(handles.open_communicators) + " of them");
}

void end_as(const std::string& how, Ranks& ranks, const Executor& executor) {
  const bool last = ranks.rank() + 1 == ranks.size();
  if (how == "alone" && last) throw InputMissing("part 3: no permission");
  if (how == "terminate" && last) std::terminate();
  while (true) {
    (void)chained(executor, 40, {}, [&](Index block) {
      if (how == "data" && block == 39) throw DataError("part 3, row 17: not a number");
    });
  }
}

int run(const std::string& how) {
  MpiTransport transport(MPI_COMM_WORLD);
  Ranks ranks(transport);
  const std::string words = ended_by(ranks, [&] {
    const RankExecutor executor(ranks, 2);
    if (!how.empty()) end_as(how, ranks, executor);
    check_folds(executor);
    check_pieces(executor);
    check_failures(ranks, executor);
  });
  if (how.empty()) check_handles();
  if (!words.empty() && ranks.rank() == 0) std::fprintf(stderr, "ended: %s\n", words.c_str());
  return g_faults > 0 || !words.empty() ? 1 : 0;
}

}  // namespace
}  // namespace giga::test

int main(int argc, char** argv) {
  const giga::MpiEnvironment mpi(argc, argv);
  return giga::test::run(argc > 1 ? argv[1] : "");
}
