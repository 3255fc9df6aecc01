// A thread redraws the line ten times per second on a terminal, or writes a line every ten seconds elsewhere.
// Time left is elapsed * (total - done) / done, the rate so far being taken to last, and what later stages
// are expected to take. It falls: a little more than was shown before is not shown. A stage that counts
// nothing and takes longer than it was expected to has no time left that anyone could tell.
#include "support/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "support/console.hpp"

namespace giga::tool {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kRedraw{100};
constexpr milliseconds kLines{10'000};
constexpr double kFirstDraw_s = 0.3;  // shorter stages would only flicker
constexpr int kBarWidth = 24;

int terminal_width() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

std::string duration(double seconds) {
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.0f} h", seconds / 3600);
}

}  // namespace

Progress::Progress(bool quiet) : live_(stderr_is_live()), colours_(stderr_has_colours()) {
  if (quiet) return;
  try {
    thread_ = std::jthread([this](const std::stop_token& stop) { draw_until(stop); });
  } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch): no thread to be had, no display
  }
}

Progress::~Progress() {
  end();
}

void Progress::part(int number, int count) {
  const std::lock_guard lock(mutex_);
  part_ = fmt::format("[{}/{}] ", number, count);
}

void Progress::begin(std::string what, Index total, std::string unit) {
  const std::lock_guard lock(mutex_);
  clear();
  what_ = part_ + std::move(what);
  unit_ = std::move(unit);
  detail_.clear();
  total_ = total;
  done_ = steps_ = 0;
  stage_s_ = later_s_ = 0;
  stage_.restart();
}

void Progress::expect(double stage_s, double later_s) {
  const std::lock_guard lock(mutex_);
  stage_s_ = stage_s;
  later_s_ = later_s;
}

void Progress::update(Index done, Index steps, std::string detail) {
  const std::lock_guard lock(mutex_);
  done_ = done;
  steps_ = steps;
  detail_ = std::move(detail);
}

void Progress::end() {
  const std::lock_guard lock(mutex_);
  clear();
  what_.clear();
}

void Progress::draw_until(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const milliseconds interval = live_ ? kRedraw : kLines;
  while (!stop.stop_requested()) {
    // Invariant: the mutex is held except while waiting, so what is drawn is one consistent state.
    wake_.wait_for(lock, stop, interval, [] { return false; });
    if (stop.stop_requested() || what_.empty() || stage_.seconds() < kFirstDraw_s) continue;
    const std::string text = status();
    write_stderr(live_ ? std::string(kNewLine) + bar(text) : "giga: " + what_ + ": " + text + "\n");
    drawn_ = live_;
  }
}

// 0 where nothing is known.
double Progress::seconds_left() const {
  const double seconds = stage_.seconds();
  if (total_ > 0 && done_ > 0 && done_ < total_)
    return later_s_ + seconds * static_cast<double>(total_ - done_) / static_cast<double>(done_);
  return seconds < stage_s_ ? later_s_ + stage_s_ - seconds : 0;
}

std::string Progress::status() {
  constexpr double kLittleMore = 1.5;
  const double seconds = stage_.seconds();
  std::string text =
      total_ == 0 ? duration(seconds) : fmt::format("{}/{} {}", done_, std::max(done_, total_), unit_);
  if (!detail_.empty()) text += ", " + detail_;
  if (steps_ > 0) text += fmt::format(", {:.4g} steps/s", static_cast<double>(steps_) / seconds);
  const double left = seconds_left();
  if (left <= 0) return text;
  // Of stages whose time was expected the sum is shown; others have a time left of their own.
  const bool whole = stage_s_ + later_s_ > 0;
  if (!whole || left < shown_left_s_ || left > kLittleMore * shown_left_s_) shown_left_s_ = left;
  return text + ", " + duration(shown_left_s_) + (whole ? " left in all" : " left");
}

std::string Progress::bar(const std::string& text) const {
  std::string line = what_ + " ";
  std::string filled;
  if (total_ > 0) {
    const auto share = static_cast<double>(done_) / static_cast<double>(total_);
    const int full = std::clamp(static_cast<int>(share * kBarWidth), 0, kBarWidth);
    filled = fmt::format("[{:#<{}}{:.<{}}] ", "", full, "", kBarWidth - full);
  }
  const auto width = static_cast<std::size_t>(std::max(terminal_width() - 1, 1));
  // A narrow terminal gets no bar; a narrower one gets the words cut, so that the line never wraps.
  if (line.size() + filled.size() + text.size() > width) filled.clear();
  if (line.size() + filled.size() + text.size() > width) return (line + text).substr(0, width);
  if (colours_ && !filled.empty()) filled = cyan(filled);
  return line + filled + text;
}

void Progress::clear() {
  if (std::exchange(drawn_, false)) write_stderr(kNewLine);
}

}  // namespace giga::tool
