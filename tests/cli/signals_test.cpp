// Ctrl-C and its relatives: the command ends within two seconds and leaves nothing half-written, whatever it
// was doing. And what a terminal shows meanwhile.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "cli/command.hpp"
#include "cli/npy_files.hpp"

namespace giga::test {
namespace {

constexpr double kPatience_s = 2;
constexpr const char* kStopped = "giga: stopped; nothing was written\n";

// Draws cost more the more points there are: this would take minutes.
Launch long_build(const TempDir& folder, int signal) {
  write_file(folder / "V.npy", npy_of(whole_numbers(60000, 20, -99, 99)));
  return Launch{.arguments = {"build", "--vectors", "V.npy", "--method", "uniform", "--size", "60000",
                              "--out", "c.csv"},
                .folder = folder.path(),
                .signal = signal,
                .signal_after_s = 0.4};
}

// A run that was interrupted in time, and says so after what it said before.
void expect_stopped(const Outcome& outcome) {
  EXPECT_EQ(outcome.code, 130);
  EXPECT_LT(outcome.seconds_after_signal, kPatience_s);
  EXPECT_TRUE(outcome.error.ends_with(kStopped)) << outcome.error;
  EXPECT_EQ(outcome.out, "");
}

// The same, and nothing was said before.
void expect_stopped_silently(const Outcome& outcome) {
  expect_stopped(outcome);
  EXPECT_EQ(outcome.error, kStopped);
}

TEST(Signals, InterruptDuringConstructionStopsWithNothingWritten) {
  const TempDir folder;
  const auto outcome = run(long_build(folder, SIGINT));
  expect_stopped_silently(outcome);
  EXPECT_EQ(folder.size(), 1);
}

TEST(Signals, TerminateIsExitCode143AndTheOldOutputIsIntact) {
  const TempDir folder;
  write_file(folder / "c.csv", "mine");
  Launch launch = long_build(folder, SIGTERM);
  launch.arguments.emplace_back("--force");
  const auto outcome = run(launch);
  EXPECT_EQ(outcome.code, 143);
  EXPECT_LT(outcome.seconds_after_signal, kPatience_s);
  EXPECT_EQ(read_file(folder / "c.csv"), "mine");
  EXPECT_EQ(folder.size(), 2);
}

// As when the disk of a scratch file fails.
TEST(Signals, LostMemoryIsSaidAndIsExitCode74) {
  const TempDir folder;
  const auto outcome = run(long_build(folder, SIGBUS));
  EXPECT_EQ(outcome.code, 74);
  EXPECT_EQ(outcome.error,
            "giga: error: part of the memory could not be read or written (SIGBUS); check the disks of the "
            "scratch folder and of the input, and run again\n");
}

// Preparation does not ask whether to stop, so this is the watch's doing.
TEST(Signals, InterruptDuringPreparationStopsInTime) {
  const TempDir folder;
  write_sparse_npy(folder / "V.npy", 40'000'000, 100);
  const auto outcome = run(Launch{.arguments = {"build", "--vectors", "V.npy", "--out", "c.csv"},
                                  .folder = folder.path(),
                                  .signal = SIGINT,
                                  .signal_after_s = 0.3});
  expect_stopped_silently(outcome);
  EXPECT_EQ(folder.size(), 1);
}

TEST(Signals, InterruptedSimulationRemovesItsTemporary) {
  const TempDir folder;
  const auto outcome =
      run(Launch{.arguments = {"simulate", "vectors", "--rows", "20000000", "--dim", "10", "--out", "V.npy"},
                 .folder = folder.path(),
                 .signal = SIGINT,
                 .signal_after_s = 0.4});
  expect_stopped_silently(outcome);
  EXPECT_EQ(folder.size(), 0);
}

// At 0.1 s the table is being read, at 0.8 s its rows are being projected: in every step anew, for minutes.
TEST(Signals, InterruptDuringABuildOfATableLeavesNothing) {
  const TempDir folder;
  const auto made =
      run(Launch{.arguments = {"simulate", "logistic", "--rows", "400000", "--dim", "20", "--out", "t.npy"},
                 .folder = folder.path()});
  ASSERT_EQ(made.code, 0) << made.error;
  for (const double after_s : {0.1, 0.8}) {
    const auto outcome =
        run(Launch{.arguments = {"build", "t.npy", "--family", "bernoulli", "--size", "1000", "--projection",
                                 "random", "--candidates", "all", "--selector", "scan", "--out", "c.csv"},
                   .folder = folder.path(),
                   .signal = SIGINT,
                   .signal_after_s = after_s});
    expect_stopped(outcome);
    EXPECT_EQ(folder.size(), 1);
  }
}

// More threads than cores, so that a block of rows takes longer than anybody waits: the process is ended in
// the middle of one.
TEST(Signals, TemporaryIsRemovedEvenWhenTheProcessIsEndedInTheMiddle) {
  const TempDir folder;
  const auto outcome =
      run(Launch{.arguments = {"simulate", "vectors", "--rows", "20000", "--dim", "2000", "--kind", "lowrank",
                               "--rank", "2000", "--threads", "8", "--out", "V.npy"},
                 .folder = folder.path(),
                 .signal = SIGTERM,
                 .signal_after_s = 0.8});
  EXPECT_EQ(outcome.code, 143);
  EXPECT_LT(outcome.seconds_after_signal, kPatience_s);
  EXPECT_EQ(folder.size(), 0);
}

TEST(Signals, IgnoredHangupStaysIgnored) {
  const TempDir folder;
  Launch launch = long_build(folder, SIGHUP);
  launch.before = {"/usr/bin/timeout", "1", "/usr/bin/nohup"};
  EXPECT_EQ(run(launch).code, 124) << "timeout should have had to end it";
}

TEST(Terminal, ShowsABarThatIsGoneAtTheEnd) {
  const TempDir folder;
  Launch launch = long_build(folder, SIGINT);
  launch.terminal = true;
  launch.signal_after_s = 1;
  const auto outcome = run(launch);
  EXPECT_EQ(outcome.code, 130);
  EXPECT_NE(outcome.error.find("building \x1b[36m["), std::string::npos) << outcome.error;
  EXPECT_NE(outcome.error.find("/60000 draws, relative error "), std::string::npos) << outcome.error;
  EXPECT_NE(outcome.error.find(" left"), std::string::npos) << outcome.error;
  EXPECT_LE(count_of(outcome.error, "building"), 12) << "redrawn more than ten times a second";
  EXPECT_NE(outcome.error.find("\r\x1b[Kgiga: stopped"), std::string::npos) << outcome.error;
}

TEST(Terminal, NoColorIsHonoured) {
  const TempDir folder;
  Launch launch = long_build(folder, SIGINT);
  launch.terminal = true;
  launch.environment = {"NO_COLOR=1"};
  launch.signal_after_s = 0.8;
  const auto outcome = run(launch);
  EXPECT_NE(outcome.error.find("building ["), std::string::npos) << outcome.error;
  EXPECT_EQ(outcome.error.find("\x1b[36m"), std::string::npos);
  Launch wrong{.arguments = {"build"}, .environment = {"NO_COLOR=1"}, .terminal = true};
  EXPECT_EQ(run(wrong).error.find('\x1b'), std::string::npos);
  wrong.environment.clear();
  EXPECT_NE(run(wrong).error.find("\x1b[1;31merror:"), std::string::npos);
}

TEST(Terminal, QuietShowsNoBar) {
  const TempDir folder;
  Launch launch = long_build(folder, SIGINT);
  launch.terminal = true;
  launch.arguments.emplace_back("--quiet");
  launch.signal_after_s = 0.8;
  EXPECT_EQ(run(launch).error, "giga: stopped; nothing was written\r\n");
}

}  // namespace
}  // namespace giga::test
