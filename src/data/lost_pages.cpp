// A list of mappings for a handler of signals, which may interrupt any code: it takes no lock, allocates
// nothing and reads atomics only. Places are in blocks that are never freed, so that there is no limit to
// their number; ordinary code changes them under a lock, and counts up `changes` before and after, so that
// the handler passes over what is being changed. The mapping in which a page is missing is in use, and does
// not change.
//
// The work that reads zeros goes on, and is found out at its end: a loss has a number, which its place keeps.
#include "data/lost_pages.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <string>
#include <utility>

#include "base/atomic_bounds.hpp"
#include "giga/data/mapped_file.hpp"

namespace giga {
namespace {

struct MappingPlace {
  std::atomic<std::uint64_t> changes{0};         // odd while begin and size change
  std::atomic<const std::byte*> begin{nullptr};  // null: nothing is mapped
  std::atomic<std::size_t> size{0};
  std::atomic<std::uint64_t> loss{0};  // the number of its last one; 0: none
  std::string path;                    // not for the handler
};

struct MappingBlock {
  std::array<MappingPlace, 64> places;
  std::atomic<MappingBlock*> next{nullptr};
};

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
static_assert(std::atomic<const std::byte*>::is_always_lock_free);

std::atomic<MappingBlock*> g_blocks{nullptr};
std::atomic<std::uint64_t> g_losses{0};
std::mutex g_mutex;  // of whoever changes a place, reads a path, or sets the handler
std::uintptr_t g_page_size = 0;
struct sigaction g_first {};   // what was found when our handler was set for the first time,
struct sigaction g_before {};  // and for the last

// The first place for which matches(place) holds; null if there is none.
template <typename Matches>
MappingPlace* find_place(const Matches& matches) {
  for (MappingBlock* block = g_blocks; block != nullptr; block = block->next)
    for (MappingPlace& place : block->places)
      if (matches(place)) return &place;
  return nullptr;
}

// One that nothing is mapped at. A place that has a loss to tell of is not used again.
MappingPlace& free_place() {
  if (MappingPlace* place =
          find_place([](const MappingPlace& each) { return each.begin == nullptr && each.loss == 0; }))
    return *place;
  auto* block = new MappingBlock;
  block->next = g_blocks.load();
  g_blocks = block;
  return block->places.front();
}

void set_mapping(MappingPlace& place, const std::byte* begin, std::size_t size) {
  ++place.changes;
  place.begin = begin;
  place.size = size;
  ++place.changes;
}

// Whether the page at the address was one of a mapped file. It and those after it, to the end of the mapping,
// are then zeros.
bool replace_pages(const void* address) {
  const auto* byte = static_cast<const std::byte*>(address);
  const std::byte* end = nullptr;
  MappingPlace* const place = find_place([&](const MappingPlace& each) {
    const std::uint64_t changes = each.changes;
    const std::byte* begin = each.begin;
    const std::size_t size = each.size;
    if (changes % 2 != 0 || each.changes != changes || begin == nullptr) return false;
    // Pages are mapped as a whole, beyond the end of the file.
    end = begin + (size + g_page_size - 1) / g_page_size * g_page_size;
    return byte >= begin && byte < end;
  });
  if (place == nullptr) return false;
  raise_to(place->loss, ++g_losses);  // threads may come here out of order
  const std::byte* const from = byte - reinterpret_cast<std::uintptr_t>(byte) % g_page_size;
  // The system is asked without the C library, whose function other libraries may have replaced by one that
  // is not for handlers.
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;
  return ::syscall(SYS_mmap, from, end - from, PROT_READ, kFlags, -1, 0) != -1;
}

// As if there were no handler of ours: that from before is set, and the signal comes again, by the access or
// by raise(). A handler that knows no help sets in turn what it found, which may be ours: then that is left
// to the one from before the first time, which cannot have found ours.
void pass_on(bool is_access) {
  if (g_before.sa_handler == SIG_IGN && !is_access) return;
  const struct sigaction next = std::exchange(g_before, g_first);
  ::sigaction(SIGBUS, &next, nullptr);
  if (!is_access) (void)::raise(SIGBUS);
}

void on_bus_error(int, siginfo_t* info, void*) {
  const int error = errno;
  const bool is_lost = info->si_code == BUS_ADRERR || info->si_code == BUS_MCEERR_AR;
  if (!is_lost || !replace_pages(info->si_addr)) pass_on(info->si_code > 0 && info->si_code != BUS_MCEERR_AO);
  errno = error;
}

}  // namespace

void outlive_lost_pages() {
  const std::lock_guard lock(g_mutex);
  struct sigaction found {};
  ::sigaction(SIGBUS, nullptr, &found);
  if ((found.sa_flags & SA_SIGINFO) != 0 && found.sa_sigaction == on_bus_error) return;
  if (g_page_size == 0) g_first = found;
  g_before = found;
  g_page_size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGBUS, &action, nullptr);
}

void remember_mapping(std::span<const std::byte> bytes, const std::filesystem::path& path) {
  const std::lock_guard lock(g_mutex);
  MappingPlace& place = free_place();
  place.path = path.native();
  set_mapping(place, bytes.data(), bytes.size());
}

void forget_mapping(std::span<const std::byte> bytes) noexcept {
  const std::lock_guard lock(g_mutex);
  if (MappingPlace* place = find_place([&](const MappingPlace& each) { return each.begin == bytes.data(); }))
    set_mapping(*place, nullptr, 0);
}

std::uint64_t num_losses() noexcept {
  return g_losses;
}

bool lost_pages_since(std::uint64_t losses, const std::filesystem::path& path) {
  if (g_losses == losses) return false;
  const std::lock_guard lock(g_mutex);
  return find_place([&](const MappingPlace& each) {
           return each.loss > losses && each.path == path.native();
         }) != nullptr;
}

}  // namespace giga
