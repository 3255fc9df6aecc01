// Jobs over the threads of an executor. The first exception is kept and makes every other job stop at its
// next check; Interrupted is not a failure, and is thrown only if nothing else went wrong.
#include "experiments/jobs.hpp"

#include <atomic>
#include <exception>
#include <mutex>

namespace giga::experiments {
namespace {

class Monitor {
 public:
  Monitor(const std::vector<Job>& jobs, const Watch& watch)
      : jobs_(jobs), watch_(watch), shares_(jobs.size(), 0.0) {}

  void run(std::size_t number) {
    try {
      const JobContext context{[this] { check(); }, [this, number](double share) { tell(number, share); }};
      check();
      tell(number, 0);
      jobs_[number].run(context);
      ++done_;
      tell(number, 1);
    } catch (const Interrupted&) {  // told at the end
      abandoned_ = true;
    } catch (...) {
      const std::lock_guard lock(mutex_);
      abandoned_ = true;
      if (!failure_) failure_ = std::current_exception();
    }
  }

  void finish() const {
    if (failure_) std::rethrow_exception(failure_);
    if (abandoned_) throw Interrupted{};
  }

 private:
  void check() {
    if (abandoned_ || (watch_.stop && watch_.stop())) throw Interrupted{};
  }

  void tell(std::size_t number, double share) {
    if (!watch_.progress) return;
    const std::lock_guard lock(mutex_);
    shares_[number] = share;
    RunProgress now{jobs_[number].name, done_, std::ssize(jobs_), 0, 0};
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      now.work_done += shares_[i] * jobs_[i].work;
      now.work += jobs_[i].work;
    }
    watch_.progress(now);
  }

  const std::vector<Job>& jobs_;
  const Watch& watch_;
  std::atomic<bool> abandoned_ = false;
  std::atomic<Index> done_ = 0;
  std::mutex mutex_;  // guards what follows
  std::vector<double> shares_;
  std::exception_ptr failure_;
};

}  // namespace

void run_jobs(const std::vector<Job>& jobs, const Executor& executor, const Watch& watch) {
  Monitor monitor(jobs, watch);
  executor.for_each(std::ssize(jobs), [&](Index i) { monitor.run(static_cast<std::size_t>(i)); });
  monitor.finish();
}

}  // namespace giga::experiments
