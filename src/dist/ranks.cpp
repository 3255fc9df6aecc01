// The agreement: seven numbers of each rank, of which all learn the largest.
//
//   failed       P - rank if this rank has failed, so that the largest names the lowest of them; else 0
//   well         0 if this rank is well; -1 if it has failed, which is the largest only if all have
//   stop         what the stop request answers
//   tag, -tag    what is to be done: the two are opposite only if all ranks mean the same; ranks that have
//                failed mean nothing
//   value        of agree()
//   goes_on      1 unless the rank is concluding
//
// A rank that concludes agrees with the others until all do. If one has failed, the lowest of them then sends
// its words to all.
#include "giga/dist/ranks.hpp"

#include <array>
#include <limits>
#include <stdexcept>
#include <utility>

#include "dist/failure.hpp"
#include "giga/base/error.hpp"

namespace giga {
namespace {

// Their places.
constexpr std::size_t kFailed = 0, kWell = 1, kStop = 2, kTag = 3, kMinusTag = 4, kValue = 5, kGoesOn = 6,
                      kPlaces = 7;
constexpr std::int64_t kNothing = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kConcludeTag = -1;

constexpr const char* kDifferentWays =
    "the ranks did not take the same way: they must run the same program on the same input";

}  // namespace

struct Ranks::Agreement {
  int lowest_failed = -1;  // none
  bool others_go_on = false;
  bool of_one_mind = true;
  int stop = 0;
  std::int64_t value = 0;
  std::exception_ptr failure;
};

Ranks::Ranks(Transport& transport, StopRequest stop) : transport_(transport), stop_(std::move(stop)) {}

void Ranks::count(std::int64_t messages, std::int64_t bytes) {
  messages_ += messages;
  bytes_ += messages * bytes;
}

Communication Ranks::communication() const {
  return {size(), messages_, bytes_};
}

// To one rank and from there to all others, in P - 1 messages each.
void Ranks::largest(std::span<std::int64_t> values) {
  transport_.largest(values);
  count(std::int64_t{2} * (size() - 1), std::ssize(values) * static_cast<std::int64_t>(sizeof(std::int64_t)));
}

void Ranks::unite(std::span<std::byte> bytes) {
  transport_.unite(bytes);
  count(std::int64_t{2} * (size() - 1), std::ssize(bytes));
}

void Ranks::broadcast(std::span<std::byte> bytes, int from) {
  transport_.broadcast(bytes, from);
  count(size() - 1, std::ssize(bytes));
}

Ranks::Agreement Ranks::exchange(std::int64_t tag, bool concluding, const std::exception_ptr& failure,
                                 std::int64_t value) {
  const bool failed = failure != nullptr;
  std::array<std::int64_t, kPlaces> all{};
  all[kFailed] = failed ? size() - rank() : 0;
  all[kWell] = failed ? -1 : 0;
  all[kStop] = stop_ ? stop_() : 0;
  all[kTag] = failed ? kNothing : tag;
  all[kMinusTag] = failed ? kNothing : -tag;
  all[kValue] = failed ? kNothing : value;
  all[kGoesOn] = concluding ? 0 : 1;
  largest(all);
  Agreement out;
  if (all[kFailed] > 0) out.lowest_failed = size() - static_cast<int>(all[kFailed]);
  out.others_go_on = all[kGoesOn] == 1;
  out.of_one_mind = all[kTag] == kNothing || all[kTag] == -all[kMinusTag];
  out.stop = static_cast<int>(all[kStop]);
  out.value = all[kValue];
  const bool all_failed = all[kWell] == -1;
  if (out.lowest_failed >= 0)
    out.failure = heard(out.lowest_failed, concluding, out.others_go_on && !all_failed, failure);
  return out;
}

// What rank `from` says of its failure. Its number is added where it failed alone, on its own way, or where
// its machine may be the cause.
std::exception_ptr Ranks::heard(int from, bool concluding, bool others_go_on, const std::exception_ptr& own) {
  Failure failure;
  std::array<std::int64_t, 3> head{};
  if (rank() == from) {
    failure = failure_of(own);
    head = {failure.kind, std::ssize(failure.words), concluding ? 1 : 0};
  }
  broadcast(std::as_writable_bytes(std::span(head)), from);
  failure.kind = head[0];
  failure.words.resize(static_cast<std::size_t>(head[1]));
  broadcast(std::as_writable_bytes(std::span(failure.words)), from);
  const bool alone = head[2] == 1 && others_go_on;
  const bool named = size() > 1 && (alone || (from != 0 && failure.of_the_machine()));
  if (rank() == from && !named) return own;
  if (named) failure.words = "rank " + std::to_string(from) + ": " + failure.words;
  std::exception_ptr all_hear = exception_of(failure);
  if (alone) {  // that rank does no more: whatever is thrown from now on follows from this
    if (!first_failure_) first_failure_ = all_hear;
    ending_ = true;
  }
  return all_hear;
}

std::int64_t Ranks::agree(std::int64_t tag, const std::exception_ptr& failure, std::int64_t value) {
  const Agreement all = exchange(tag, false, failure, value);
  if (all.stop != 0) {
    stop_reason_ = all.stop;
    ending_ = true;
  }
  if (all.failure) std::rethrow_exception(all.failure);
  if (!all.of_one_mind) throw std::logic_error(kDifferentWays);
  if (all.stop != 0) throw Stopped();
  return all.value;
}

std::exception_ptr Ranks::conclude(const std::exception_ptr& failure) {
  while (true) {
    const Agreement all = exchange(kConcludeTag, true, failure, 0);
    if (all.failure && all.stop != 0) stop_reason_ = all.stop;
    if (!all.others_go_on) return first_failure_ ? first_failure_ : all.failure;
  }
}

std::vector<std::string> Ranks::texts(const std::string& own) {
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(size()), 0);
  lengths[static_cast<std::size_t>(rank())] = std::ssize(own);
  largest(lengths);
  std::vector<std::string> all;
  for (int from = 0; from < size(); ++from) {
    all.push_back(from == rank() ? own : std::string());
    all.back().resize(static_cast<std::size_t>(lengths[static_cast<std::size_t>(from)]));
    broadcast(std::as_writable_bytes(std::span(all.back())), from);
  }
  return all;
}

}  // namespace giga
