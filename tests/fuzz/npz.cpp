// npz: the first byte says how to read the rest.
//
//   Z       an archive as it is
//   S or D  members, from which an archive with right sums is made, stored or deflated: a letter of the name
//           (X, y, w, others), two bytes of length (the lower first), and as many bytes. No mutation finds a
//           checksum; so the readers behind it are reached all the same.
//
// Laws: what was read is finite, weights asked for or not; cells are found again.
#include <zlib.h>

#include <algorithm>
#include <vector>

#include "data/matrix_reader.hpp"
#include "fuzz/support/memory_files.hpp"
#include "fuzz/support/table_laws.hpp"
#include "fuzz/support/target.hpp"
#include "giga/base/threads.hpp"

namespace giga::fuzz {
namespace {

const std::string kName = "fuzz.npz";

struct Member {
  std::string name, bytes, packed;
  std::uint32_t offset = 0;
};

// Bytes of a number, the lowest first, as zip has them.
void put(std::string& out, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xFF);
}

std::string deflated(const std::string& bytes) {
  constexpr int kRaw = -15;
  z_stream stream{};
  require(::deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kRaw, 8, Z_DEFAULT_STRATEGY) == Z_OK,
          "zlib begins");
  std::string out(::deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  require(::deflate(&stream, Z_FINISH) == Z_STREAM_END, "zlib ends");
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  return out;
}

// What the two headers of a member have in common, from the version on.
void put_entry(std::string& out, const Member& member, bool deflate) {
  put(out, 20, 2);               // version
  put(out, 0, 2);                // flags
  put(out, deflate ? 8 : 0, 2);  // method
  put(out, 0x00210000, 4);       // time and date
  put(out,
      static_cast<std::uint32_t>(::crc32(0, reinterpret_cast<const Bytef*>(member.bytes.data()),
                                         static_cast<uInt>(member.bytes.size()))),
      4);
  put(out, static_cast<std::uint32_t>(member.packed.size()), 4);
  put(out, static_cast<std::uint32_t>(member.bytes.size()), 4);
  put(out, static_cast<std::uint32_t>(member.name.size()), 2);
  put(out, 0, 2);  // no extra field
}

std::string archive_of(std::vector<Member> members, bool deflate) {
  std::string out, directory;
  for (Member& member : members) {
    member.packed = deflate ? deflated(member.bytes) : member.bytes;
    member.offset = static_cast<std::uint32_t>(out.size());
    out += "PK\x03\x04";
    put_entry(out, member, deflate);
    out += member.name + member.packed;
    directory += "PK\x01\x02";
    put(directory, 20, 2);
    put_entry(directory, member, deflate);
    for (const int bytes : {2, 2, 2, 4}) put(directory, 0, bytes);  // no comment; disk 0; no attributes
    put(directory, member.offset, 4);
    directory += member.name;
  }
  const auto begin = static_cast<std::uint32_t>(out.size());
  const auto count = static_cast<std::uint32_t>(members.size());
  out += directory + "PK\x05\x06";
  put(out, 0, 4);
  put(out, count, 2);
  put(out, count, 2);
  put(out, static_cast<std::uint32_t>(directory.size()), 4);
  put(out, begin, 4);
  put(out, 0, 2);
  return out;
}

std::vector<Member> members_of(std::string_view input) {
  std::vector<Member> members;
  while (input.size() >= 3 && members.size() < 20) {
    const auto byte = [&input](std::size_t i) { return std::size_t{static_cast<unsigned char>(input[i])}; };
    const std::size_t length = std::min(byte(1) | byte(2) << 8, input.size() - 3);
    members.push_back({std::string(1, input[0]) + ".npy", std::string(input.substr(3, length)), {}});
    input.remove_prefix(3 + length);
  }
  return members;
}

void run(std::string_view input) {
  if (input.empty()) return;
  const char kind = input[0];
  input.remove_prefix(1);
  const std::string archive = kind == 'S' || kind == 'D' ? archive_of(members_of(input), kind == 'D') : "";
  const MemoryFile file(kName, archive.empty() ? input : std::string_view(archive));
  const std::filesystem::path path(kName);
  for (const bool weighted : {false, true}) {
    ReadOptions options{.missing = weighted ? Missing::Drop : Missing::Refuse};
    if (weighted) options.weights = "w";
    options.features = weighted ? std::optional(std::vector<std::string>{"x1"}) : std::nullopt;
    const auto [data, why] = attempt([&] {
      return read_npz_dataset({&path, 1}, kName, options, Serial(), {});
    });
    if (!data) continue;
    require_sound(*data);
    if (is_small(*data)) (void)data->cells(std::vector<Index>{data->num_rows() - 1, 0});
  }
}

}  // namespace
}  // namespace giga::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  giga::fuzz::run(giga::fuzz::text_of(data, size));
  return 0;
}
