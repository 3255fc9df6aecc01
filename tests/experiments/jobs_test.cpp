#include "experiments/jobs.hpp"
#include "giga/base/threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

namespace giga::experiments {
namespace {

TEST(Jobs, AllRunAndTheWorkAddsUp) {
  std::atomic<int> ran = 0;
  std::vector<Job> jobs;
  for (int i = 1; i <= 5; ++i)
    jobs.push_back({"job", static_cast<double>(i), [&](const JobContext& context) {
                      context.at(0.5);
                      ++ran;
                    }});
  RunProgress last;
  run_jobs(jobs, Threads(2), {.stop = {}, .progress = [&](const RunProgress& now) { last = now; }});
  EXPECT_EQ(ran, 5);
  EXPECT_EQ(last.jobs_done, 5);
  EXPECT_DOUBLE_EQ(last.work_done, 15);
  EXPECT_DOUBLE_EQ(last.work, 15);
}

TEST(Jobs, AFailureStopsTheOthersAndIsTheOneTold) {
  int begun = 0;
  std::vector<Job> jobs(4, Job{"fails", 1, [&](const JobContext&) {
                                 ++begun;
                                 throw std::runtime_error("disk");
                               }});
  try {
    run_jobs(jobs, Threads(1), {});
    FAIL() << "nothing thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "disk");
  }
  EXPECT_EQ(begun, 1);
}

TEST(Jobs, AskedToStopTheyEndAsInterrupted) {
  int begun = 0;
  bool stop = false;
  std::vector<Job> jobs(4, Job{"job", 1, [&](const JobContext& context) {
                                 ++begun;
                                 stop = begun == 2;
                                 context.check();
                               }});
  EXPECT_THROW(run_jobs(jobs, Threads(1), {.stop = [&] { return stop; }, .progress = {}}), Interrupted);
  EXPECT_EQ(begun, 2);
}

}  // namespace
}  // namespace giga::experiments
