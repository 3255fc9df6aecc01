// The note NT_GNU_BUILD_ID of the program, as the dynamic linker has mapped it. Notes of a segment follow
// each other: a head, a name and a description, the latter two filled up to the alignment of the segment.
#include "programs/build_id.hpp"

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>

namespace giga::tool {
namespace {

std::string id_among(std::span<const std::byte> notes, std::size_t alignment) {
  constexpr std::string_view kName("GNU\0", 4);
  constexpr char kDigits[] = "0123456789abcdef";
  const auto filled_up = [&](std::size_t size) { return (size + alignment - 1) / alignment * alignment; };
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) head;
    std::memcpy(&head, notes.data(), sizeof(head));
    const std::size_t name = sizeof(head), description = name + filled_up(head.n_namesz),
                      end = description + filled_up(head.n_descsz);
    if (end > notes.size()) return {};
    if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == kName.size() &&
        std::memcmp(notes.data() + name, kName.data(), kName.size()) == 0) {
      std::string digits;
      for (const std::byte value : notes.subspan(description, head.n_descsz)) {
        digits += kDigits[std::to_integer<unsigned>(value) / 16];
        digits += kDigits[std::to_integer<unsigned>(value) % 16];
      }
      return digits;
    }
    notes = notes.subspan(end);
  }
  return {};
}

}  // namespace

std::string build_id() {
  std::string found;
  // The program itself comes first; what follows are its libraries.
  ::dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* out) {
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const ElfW(Phdr)& segment = object->dlpi_phdr[i];
          if (segment.p_type != PT_NOTE) continue;
          // An address that the linker knows as a number.
          const auto* begin =
              reinterpret_cast<const std::byte*>(object->dlpi_addr + segment.p_vaddr);  // NOLINT
          auto& id = *static_cast<std::string*>(out);
          id = id_among({begin, segment.p_memsz}, segment.p_align == 8 ? 8 : 4);
          if (!id.empty()) break;
        }
        return 1;
      },
      &found);
  return found;
}

}  // namespace giga::tool
