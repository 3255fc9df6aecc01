#include "giga/dist/rank_executor.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "base/shared_entries.hpp"
#include "data/shared_stream.hpp"
#include "dist/rank_checks.hpp"
#include "dist/thread_ranks.hpp"
#include "infer/chain_bytes.hpp"

namespace giga::test {
namespace {

// What each rank says, by rank.
class Said {
 public:
  explicit Said(int size) : words_(static_cast<std::size_t>(size)) {}
  void operator()(int rank, std::string words) {
    const std::lock_guard lock(mutex_);
    words_[static_cast<std::size_t>(rank)] = std::move(words);
  }
  void expect_all(const std::string& words) const {
    for (const std::string& each : words_) EXPECT_EQ(each, words);
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> words_;
};

TEST(RankExecutor, OwnRowsAreThoseOfTheBlocksThatItFills) {
  for (const int size : {1, 2, 3, 7}) {
    for (const Index rows : {Index{0}, Index{5}, 3 * kBlockRows, 14 * kBlockRows, 41 * kBlockRows - 7}) {
      on_ranks(size, [&](Transport& transport) {
        Ranks ranks(transport);
        const RankExecutor executor(ranks, 1);
        const RowRange own = executor.own_rows(rows);
        const bool shared = size > 1 && num_blocks(rows) >= 2 * size;
        if (!shared) {
          EXPECT_EQ(own.begin, 0);
          EXPECT_EQ(own.end, rows);
        } else {
          EXPECT_EQ(own.begin % kBlockRows, 0);
          EXPECT_EQ(own.begin, ranks.rank() == 0 ? 0 : executor.rows_of(ranks.rank() - 1, rows).end);
          EXPECT_EQ(ranks.rank() + 1 == size, own.end == rows);
        }
        // Whatever is folded, with pieces or without.
        for (const Index pieces : {1, 3}) {
          std::atomic<Index> others = 0;
          Index total = 0;
          fold_blocks<Index>(
              executor, rows, 3, std::span(&total, 1),
              [&](Index first, Index count, Index piece, Index* part) {
                if (first < own.begin || first + count > own.end) ++others;
                if (piece == 0) part[0] = count;
              },
              [](const Index* part, Index* sum) { *sum += part[0]; }, {.num_pieces = pieces});
          EXPECT_EQ(others, 0);
          EXPECT_EQ(total, rows);
        }
      });
    }
  }
}

TEST(RankExecutor, ExchangesBytesOfAnyLength) {
  for (const int size : {1, 2, 3, 7}) {
    on_ranks(size, [&](Transport& transport) {
      Ranks ranks(transport);
      const RankExecutor executor(ranks, 1);
      const auto words = [size](int from, int to) {
        const auto length = static_cast<std::size_t>((from * 5 + to * 3) % 4 * 1000);
        return Bytes(length, static_cast<std::byte>(from * size + to));
      };
      for (int round = 0; round < 3; ++round) {
        std::vector<Bytes> given;
        for (int to = 0; to < size; ++to) given.push_back(words(ranks.rank(), to));
        const std::vector<Bytes> got = executor.exchange(std::move(given));
        for (int from = 0; from < size; ++from)
          EXPECT_EQ(got[static_cast<std::size_t>(from)], words(from, ranks.rank()));
      }
      std::int64_t bytes = 0, messages = 0;
      for (int from = 0; from < size; ++from) {
        for (int to = 0; to < size; ++to) {
          if (from == to) continue;
          bytes += 3 * static_cast<std::int64_t>(words(from, to).size());
          messages += words(from, to).empty() ? 0 : 3;
        }
      }
      const Communication sent = ranks.communication();
      EXPECT_GE(sent.bytes, bytes);
      EXPECT_GE(sent.messages, messages);
    });
  }
}

TEST(RankExecutor, FoldsInBlockOrderOnAnyNumberOfRanks) {
  for (const int size : {1, 2, 3, 4, 7}) {
    for (const Index blocks : {0, 1, 2, 3, 5, 40, 101}) {
      for (const Index at_once : {0, 1, 3}) {
        for (const Index pieces : {1, 3}) {
          const FoldOptions options{.num_pieces = pieces, .at_once = at_once};
          const std::uint64_t want = chained(Serial(), blocks, options);
          Said said(size);
          on_ranks(size, [&](Transport& transport) {
            Ranks ranks(transport);
            const RankExecutor executor(ranks, 1 + size % 2);
            said(ranks.rank(), std::to_string(chained(executor, blocks, options)));
          });
          said.expect_all(std::to_string(want));
        }
      }
    }
  }
}

TEST(RankExecutor, GivesEachBlockToOneRank) {
  std::atomic<Index> calls = 0;
  on_ranks(3, [&](Transport& transport) {
    Ranks ranks(transport);
    const RankExecutor executor(ranks, 1);
    (void)chained(executor, 50, {}, [&](Index) { ++calls; });
  });
  EXPECT_EQ(calls, 50);
}

TEST(RankExecutor, FoldsPartsBeyondWhatItHolds) {
  // 40 blocks with parts of 8 kB: a rank of two holds 8 of its 20 until the total comes by.
  constexpr Index kWidth = 1024, kHeld = 8 * kWidth * Index{sizeof(double)};
  const auto sum_of = [](const Executor& executor) {
    std::uint64_t total = 1;
    fold_blocks<double>(
        executor, 40, kWidth, std::span(&total, 1),
        [](Index first, Index /*count*/, Index /*piece*/, double* part) {
          part[kWidth - 1] = static_cast<double>(first);
        },
        [](const double* part, std::uint64_t* sum) {
          *sum = *sum * 31 + static_cast<std::uint64_t>(part[kWidth - 1]);
        },
        {.at_once = 1, .block_rows = 1});
    return std::to_string(total);
  };
  Said said(2);
  on_ranks(2, [&](Transport& transport) {
    Ranks ranks(transport);
    said(ranks.rank(), sum_of(RankExecutor(ranks, 1, kHeld)));
  });
  said.expect_all(sum_of(Serial()));
}

TEST(RankExecutor, TellsOfErrorsInPartsBeyondWhatItHolds) {
  Said said(2);
  on_ranks(2, [&](Transport& transport) {
    Ranks ranks(transport);
    const RankExecutor executor(ranks, 1, 1);
    said(ranks.rank(), thrown_by([&] {
           (void)chained(executor, 40, {.at_once = 1}, [](Index block) {
             if (block == 39 || block == 17) throw DataError("block " + std::to_string(block));
           });
         }));
    EXPECT_EQ(chained(executor, 40), chained(Serial(), 40));
  });
  said.expect_all("DataError block 17");
}

TEST(RankExecutor, GivesEachPieceOfFewBlocksToOneRank) {
  std::atomic<Index> calls = 0;
  const std::uint64_t want = chained(Serial(), 2, {.num_pieces = 20});
  on_ranks(3, [&](Transport& transport) {
    Ranks ranks(transport);
    const RankExecutor executor(ranks, 2);
    EXPECT_EQ(chained(executor, 2, {.num_pieces = 20}, [&](Index) { ++calls; }), want);
    // An agreement, and two parts of 20 numbers, there and back.
    const Communication before = *executor.communication();
    (void)chained(executor, 2, {.num_pieces = 20});
    EXPECT_EQ(executor.communication()->messages - before.messages, 4 + 4);
    EXPECT_EQ(executor.communication()->bytes - before.bytes, 4 * 7 * 8 + 4 * 2 * 20 * 8);
  });
  EXPECT_EQ(calls, 40);
}

TEST(RankExecutor, ThrowsTheErrorOfTheLowestPieceOnAll) {
  Said said(3);
  on_ranks(3, [&](Transport& transport) {
    Ranks ranks(transport);
    const RankExecutor executor(ranks, 1);
    said(ranks.rank(), thrown_by([&] {
           (void)chained(executor, 5, {.num_pieces = 3}, [](Index block) {
             if (block > 1) throw DataError("block " + std::to_string(block));
           });
         }));
  });
  said.expect_all("DataError block 2");
}

TEST(SharedEntries, AreThereOnAllRanks) {
  for (const int size : {1, 2, 3, 5}) {
    for (const Index total : {0, 1, 7, 100, 1001}) {
      std::atomic<Index> filled = 0, wrong = 0;
      on_ranks(size, [&](Transport& transport) {
        Ranks ranks(transport);
        const RankExecutor executor(ranks, 2);
        std::vector<float> one(static_cast<std::size_t>(total), -1);
        std::vector<double> three(static_cast<std::size_t>(3 * total), -1);
        fill_shared(executor, total, 10, {entries_of(one.data()), entries_of(three.data(), 3)},
                    [&](Index first, Index count) {
                      if (first % 10 != 0 || count > 10) ++wrong;
                      filled += count;
                      for (Index i = first; i < first + count; ++i) {
                        one[at(i)] = static_cast<float>(i);
                        for (Index k = 0; k < 3; ++k) three[at(3 * i + k)] = static_cast<double>(3 * i + k);
                      }
                    });
        for (Index i = 0; i < total; ++i) wrong += one[at(i)] == static_cast<float>(i) ? 0 : 1;
        for (Index i = 0; i < 3 * total; ++i) wrong += three[at(i)] == static_cast<double>(i) ? 0 : 1;
      });
      EXPECT_EQ(wrong, 0);
      EXPECT_EQ(filled, total);
    }
  }
}

TEST(RankExecutor, SpreadsPiecesAndGivesAllTheResultsToAll) {
  for (const int size : {1, 2, 3, 5}) {
    for (const Index count : {0, 1, 2, 4, 11}) {
      std::vector<std::atomic<int>> calls(static_cast<std::size_t>(count));
      std::atomic<int> wrong = 0;
      on_ranks(size, [&](Transport& transport) {
        Ranks ranks(transport);
        const RankExecutor executor(ranks, 2);
        const std::vector<Bytes> all = executor.spread(count, [&](Index i) {
          ++calls[static_cast<std::size_t>(i)];
          if (i == 0 && !executor.leads()) ++wrong;
          return Bytes(static_cast<std::size_t>(i), static_cast<std::byte>(i));  // the first is empty
        });
        for (Index i = 0; i < count; ++i) {
          const Bytes want(static_cast<std::size_t>(i), static_cast<std::byte>(i));
          if (all[static_cast<std::size_t>(i)] != want) ++wrong;
        }
      });
      EXPECT_EQ(wrong, 0);
      for (const auto& each : calls) EXPECT_EQ(each, 1);
    }
  }
}

TEST(RankExecutor, DoesOnceWhatIsToBeDoneOnce) {
  std::atomic<int> calls = 0;
  on_ranks(4, [&](Transport& transport) {
    Ranks ranks(transport);
    const RankExecutor executor(ranks, 1);
    once(executor, [&] { ++calls; });
    EXPECT_EQ(calls, 1);  // nobody returns before it is done
  });
}

TEST(RankExecutor, HasTheFewestThreadsThatAnyRankAsksFor) {
  on_ranks(3, [&](Transport& transport) {
    Ranks ranks(transport);
    EXPECT_EQ(RankExecutor(ranks, 4 - transport.rank()).num_threads(), 2);
    EXPECT_EQ(RankExecutor(ranks, 0).num_threads(), 1);
  });
}

TEST(RankExecutor, CountsWhatIsSentAlikeOnAllRanks) {
  Said said(3);
  on_ranks(3, [&](Transport& transport) {
    Ranks ranks(transport);
    const RankExecutor executor(ranks, 1);
    const Communication before = *executor.communication();
    (void)chained(executor, 10);
    const Communication sent = *executor.communication();
    // An agreement of 7 numbers there and back, the total along the ranks, and from the last to the others.
    EXPECT_EQ(sent.messages - before.messages, 4 + 2 + 2);
    EXPECT_EQ(sent.bytes - before.bytes, 4 * 7 * 8 + 2 * 8 + 2 * 8);
    EXPECT_EQ(sent.ranks, 3);
    said(ranks.rank(), std::to_string(sent.bytes));
  });
  EXPECT_FALSE(Serial().communication().has_value());
}

TEST(Ranks, ThrowTheErrorOfTheLowestBlockOnAll) {
  for (const int size : {1, 2, 3, 7}) {
    Said said(size);
    on_ranks(size, [&](Transport& transport) {
      Ranks ranks(transport);
      const RankExecutor executor(ranks, 2);
      said(ranks.rank(), thrown_by([&] {
             (void)chained(executor, 40, {}, [](Index block) {
               if (block >= 21) throw DataError("block " + std::to_string(block));
             });
           }));
      // Caught, it is forgotten: the next fold is as good as any.
      EXPECT_EQ(chained(executor, 40), chained(Serial(), 40));
      EXPECT_EQ(ranks.conclude(nullptr), nullptr);
    });
    said.expect_all("DataError block 21");
  }
}

TEST(Ranks, TellTheErrorOfTheOneThatLeadsAsItIs) {
  Said said(3);
  on_ranks(3, [&](Transport& transport) {
    Ranks ranks(transport);
    said(ranks.rank(), ended_by(ranks, [&] {
           const RankExecutor executor(ranks, 1);
           once(executor, [] { throw IoError("out: disk full"); });
         }));
  });
  said.expect_all("IoError out: disk full");
}

TEST(Ranks, NameTheRankWhoseMachineFailed) {
  Said said(3);
  on_ranks(3, [&](Transport& transport) {
    Ranks ranks(transport);
    said(ranks.rank(), ended_by(ranks, [&] {
           const RankExecutor executor(ranks, 1);
           (void)chained(executor, 40, {}, [&](Index block) {
             if (block == 39) throw std::bad_alloc();
           });
         }));
  });
  said.expect_all(
      "ResourceError rank 2: out of memory; use fewer rows or columns, more ranks, or machines with more "
      "memory");
}

TEST(Ranks, EndTogetherWhenOneOfThemFailsByItself) {
  for (const int size : {2, 3, 7}) {
    for (const int bad : {0, 1, size - 1}) {
      Said said(size);
      std::atomic<int> passed = 0;
      on_ranks(size, [&](Transport& transport) {
        Ranks ranks(transport);
        said(ranks.rank(), ended_by(ranks, [&] {
               const RankExecutor executor(ranks, 1);
               (void)chained(executor, 20);
               if (ranks.rank() == bad) throw DataError("part 3 is damaged");
               (void)chained(executor, 20);
               ++passed;
             }));
      });
      EXPECT_EQ(passed, 0);
      said.expect_all("DataError rank " + std::to_string(bad) + ": part 3 is damaged");
    }
  }
}

TEST(Ranks, SayOnceWhatAllOfThemFind) {
  Said said(4);
  on_ranks(4, [&](Transport& transport) {
    Ranks ranks(transport);
    said(ranks.rank(), ended_by(ranks, [] { throw DataError("column z is not there"); }));
  });
  said.expect_all("DataError column z is not there");
}

TEST(Ranks, FailAgainAtWhateverIsDoneWhileTheyClearUp) {
  Said said(3);
  on_ranks(3, [&](Transport& transport) {
    Ranks ranks(transport);
    said(ranks.rank(), ended_by(ranks, [&] {
           const RankExecutor executor(ranks, 1);
           if (ranks.rank() == 1) throw IoError("no permission");
           try {
             (void)chained(executor, 20);
           } catch (const IoError&) {  // swallowed; but the rank is gone
           }
           EXPECT_TRUE(executor.stop_requested());
           once(executor, [] {});
         }));
  });
  said.expect_all("IoError rank 1: no permission");
}

TEST(Ranks, StopAtTheSameFoldForASignalOnOne) {
  for (const int size : {1, 2, 5}) {
    constexpr int kSignal = 15, kFoldsBefore = 3;
    std::vector<int> folds(static_cast<std::size_t>(size), 0);
    Said said(size);
    on_ranks(size, [&](Transport& transport) {
      std::atomic<int> signal = 0;
      Ranks ranks(transport, [&] { return signal.load(); });
      const RankExecutor executor(ranks, 1);
      int& mine = folds[static_cast<std::size_t>(ranks.rank())];
      said(ranks.rank(), ended_by(ranks, [&] {
             while (true) {
               if (mine == kFoldsBefore && ranks.rank() == size - 1) signal = kSignal;
               (void)chained(executor, 20);
               ++mine;
             }
           }));
      EXPECT_EQ(ranks.stop_reason(), kSignal);
      EXPECT_TRUE(executor.stop_requested());
    });
    said.expect_all("Stopped");
    for (const int each : folds) EXPECT_EQ(each, kFoldsBefore);
  }
}

TEST(Ranks, StopAPieceAsSoonAsItsOwnRankIsAskedTo) {
  on_ranks(2, [&](Transport& transport) {
    std::atomic<int> signal = 0;
    Ranks ranks(transport, [&] { return signal.load(); });
    const RankExecutor executor(ranks, 1);
    const std::string words = thrown_by([&] {
      (void)executor.spread(2, [&](Index i) {
        if (i == 1) signal = 2;
        while (i == 1 && !executor.stop_requested()) std::this_thread::yield();
        return Bytes();
      });
    });
    EXPECT_EQ(words, "Stopped");
    EXPECT_EQ(words_of(ranks.conclude(std::make_exception_ptr(Stopped()))), "Stopped");
  });
}

TEST(Ranks, FindOutThatTheyWentDifferentWays) {
  on_ranks(3, [&](Transport& transport) {
    Ranks ranks(transport);
    const RankExecutor executor(ranks, 1);
    const std::string words = ended_by(ranks, [&] { (void)chained(executor, ranks.rank() == 1 ? 30 : 20); });
    EXPECT_TRUE(words.starts_with("logic_error the ranks did not take the same way")) << words;
  });
  // One of them thinks that it is done.
  on_ranks(3, [&](Transport& transport) {
    Ranks ranks(transport);
    const RankExecutor executor(ranks, 1);
    const std::string words = ended_by(ranks, [&] {
      if (ranks.rank() != 1) (void)chained(executor, 20);
    });
    EXPECT_TRUE(words.starts_with("logic_error the ranks did not take the same way")) << words;
  });
}

TEST(Ranks, KeepTheKindOfAnError) {
  const auto sent = [](const std::exception_ptr& failure) {
    std::string words;
    on_ranks(2, [&](Transport& transport) {
      Ranks ranks(transport);
      const std::string heard = words_of(ranks.conclude(ranks.rank() == 1 ? failure : nullptr));
      if (ranks.rank() == 0) words = heard;
    });
    return words;
  };
  EXPECT_EQ(sent(std::make_exception_ptr(OptionError("a"))), "OptionError a");
  EXPECT_EQ(sent(std::make_exception_ptr(std::invalid_argument("b"))), "invalid_argument b");
  EXPECT_EQ(sent(std::make_exception_ptr(std::logic_error("c"))), "logic_error c");
  EXPECT_EQ(sent(std::make_exception_ptr(IoError("d"))), "IoError rank 1: d");
  EXPECT_EQ(sent(std::make_exception_ptr(std::runtime_error("e"))), "exception e");
  EXPECT_EQ(sent(std::make_exception_ptr(17)), "exception unknown exception");
}

TEST(Ranks, ExchangeTexts) {
  on_ranks(4, [&](Transport& transport) {
    Ranks ranks(transport);
    const std::vector<std::string> want{"", "x", "xx", "xxx"};
    EXPECT_EQ(ranks.texts(std::string(static_cast<std::size_t>(ranks.rank()), 'x')), want);
  });
}

TEST(SharedStream, GivesAllRanksTheBytesOfTheOneThatLeads) {
  std::string text;
  for (int i = 0; text.size() < 20'000'000; ++i) text += std::to_string(i) + ",";  // more than a piece
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const std::jthread writer([&] {
    for (std::size_t done = 0; done < text.size();)
      done += static_cast<std::size_t>(::write(pipe[1], text.data() + done, text.size() - done));
    ::close(pipe[1]);
  });
  std::atomic<int> same = 0;
  on_ranks(3, [&](Transport& transport) {
    Ranks ranks(transport);
    const RankExecutor executor(ranks, 1);
    const SharedStream stream(ranks.rank() == 0 ? pipe[0] : -1, "standard input", executor);
    std::string got(text.size() + 1, ' ');
    std::size_t done = 0;
    for (ssize_t some = 1; some > 0; done += static_cast<std::size_t>(some))
      some = ::read(stream.descriptor(), got.data() + done, got.size() - done);
    got.resize(done);
    if (got == text) ++same;
  });
  ::close(pipe[0]);
  EXPECT_EQ(same, 3);
}

TEST(SharedStream, IsTheDescriptorItselfWithoutOtherRanks) {
  EXPECT_EQ(SharedStream(7, "standard input", Serial()).descriptor(), 7);
}

TEST(ChainBytes, AreThatChain) {
  Chain chain;
  chain.dim = 2;
  chain.draws = {1, 2, 3, 4};
  chain.stats = {{.log_density = -1, .tree_depth = 3, .divergent = true}, {.energy = 5}};
  chain.step_size = 0.25;
  chain.metric = MetricKind::Dense;
  chain.inverse_metric = {1, 0, 0, 2};
  chain.num_gradients = 7;
  chain.num_not_finite = 1;
  chain.attempts = 2;
  chain.e_bfmi = 0.5;
  const Chain same = chain_of(chain_bytes(chain));
  EXPECT_EQ(same.dim, 2);
  EXPECT_EQ(same.draws, chain.draws);
  ASSERT_EQ(same.stats.size(), 2U);
  EXPECT_EQ(same.stats[0].tree_depth, 3);
  EXPECT_TRUE(same.stats[0].divergent);
  EXPECT_EQ(same.stats[1].energy, 5);
  EXPECT_EQ(same.step_size, 0.25);
  EXPECT_EQ(same.metric, MetricKind::Dense);
  EXPECT_EQ(same.inverse_metric, chain.inverse_metric);
  EXPECT_EQ(same.num_gradients, 7);
  EXPECT_EQ(same.num_not_finite, 1);
  EXPECT_EQ(same.attempts, 2);
  EXPECT_EQ(same.e_bfmi, 0.5);
  EXPECT_FALSE(same.stopped);
  Bytes cut = chain_bytes(chain);
  cut.pop_back();
  EXPECT_THROW((void)chain_of(cut), std::invalid_argument);
  cut.insert(cut.end(), 2, std::byte{0});
  EXPECT_THROW((void)chain_of(cut), std::invalid_argument);
}

}  // namespace
}  // namespace giga::test
