// libzip on the mapped bytes. Sizes that an archive states are checked against what its bytes can hold before
// anything is allocated: a small file must not be able to ask for much memory (a "zip bomb").
#include "data/zip_archive.hpp"

#include <zip.h>

#include <algorithm>
#include <new>
#include <utility>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"

namespace giga {
namespace {

// Deflate makes at most 1032 bytes of one (zlib's technical notes).
constexpr std::size_t kMaxInflation = 1032;
constexpr std::size_t kMostMembers = 10'000;
constexpr const char* kAgain = "; copy the file or save it again with numpy.savez";

// Nothing is ever written under these names; such a name means that the archive was made to do harm.
bool leaves_its_folder(std::string_view name) {
  return name.starts_with('/') || name.starts_with('\\') || name == ".." || name.starts_with("../") ||
         name.find("/../") != std::string_view::npos || name.find("..\\") != std::string_view::npos;
}

// Memory that runs out says nothing of the file.
void require_memory(zip_error_t* error) {
  if (zip_error_code_zip(error) == ZIP_ER_MEMORY) throw std::bad_alloc();
}

std::string quoted(std::string_view value) {
  return std::string("'").append(printable(value)).append("'");
}

// The number of members that the end of the archive states: 65,535 where it is that or more. 0 if it cannot
// be found, which libzip will tell of.
std::size_t stated_members(std::span<const std::byte> file) {
  constexpr std::size_t kRecord = 22, kLongestComment = 65'535, kCount = 10;
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  const std::string_view tail = text.substr(text.size() - std::min(text.size(), kRecord + kLongestComment));
  const std::size_t record = tail.rfind(std::string_view("PK\x05\x06", 4));
  if (record == std::string_view::npos || tail.size() - record < kRecord) return 0;
  const auto byte = [&](std::size_t i) {
    return std::size_t{static_cast<unsigned char>(tail[record + kCount + i])};
  };
  return byte(0) | byte(1) << 8;
}

// The directory entry of a member, or DataError for what numpy.savez would not write.
ZipMember describe(zip_t* archive, zip_uint64_t position, std::size_t file_bytes, const std::string& name) {
  zip_stat_t status;
  zip_stat_init(&status);
  if (zip_stat_index(archive, position, ZIP_FL_ENC_RAW, &status) != 0) {
    require_memory(zip_get_error(archive));
    throw DataError(name + ": member " + std::to_string(position + 1) + " of the archive cannot be read" +
                    kAgain);
  }
  // Fields of the entry that must be known; others may be missing.
  constexpr zip_uint64_t kNeeded = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
  if ((status.valid & kNeeded) != kNeeded) {
    throw DataError(name + ": member " + std::to_string(position + 1) + " of the archive is not described" +
                    kAgain);
  }
  const std::string label = "member " + quoted(status.name);
  if (leaves_its_folder(status.name)) {
    throw DataError(name + ": " + label + " is no array name (it points out of the archive)" + kAgain);
  }
  if (status.comp_method != ZIP_CM_STORE && status.comp_method != ZIP_CM_DEFLATE) {
    throw DataError(name + ": " + label + " is compressed by method " + std::to_string(status.comp_method) +
                    ", only stored and deflated ones can be read" + kAgain);
  }
  if ((status.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && status.encryption_method != ZIP_EM_NONE) {
    throw DataError(name + ": " + label + " is encrypted; save it again without a password");
  }
  // A stored member cannot be larger than its bytes; a deflated one is at most 1032 times as large.
  const std::size_t most = status.comp_method == ZIP_CM_STORE ? 1 : kMaxInflation;
  if (status.comp_size > file_bytes || status.size > status.comp_size * most) {
    throw DataError(name + ": " + label + " is said to have " + std::to_string(status.size) +
                    " bytes, more than its " + std::to_string(status.comp_size) +
                    " compressed ones in a file of " + std::to_string(file_bytes) + " can bear" + kAgain);
  }
  return {status.name, position, status.comp_size, status.size};
}

}  // namespace

void ZipArchive::Discard::operator()(zip* archive) const {
  zip_discard(archive);
}

void ZipArchive::Reader::Close::operator()(zip_file* file) const {
  zip_fclose(file);
}

ZipArchive::ZipArchive(MappedFile file, std::unique_ptr<zip, Discard> archive, const std::string& name)
    : file_(std::move(file)), archive_(std::move(archive)) {
  const auto count = zip_get_num_entries(archive_.get(), ZIP_FL_UNCHANGED);
  for (zip_int64_t i = 0; i < count; ++i) {
    members_.push_back(describe(archive_.get(), static_cast<zip_uint64_t>(i), file_.bytes().size(), name));
  }
}

ZipArchive ZipArchive::open(const std::filesystem::path& path) {
  MappedFile file = MappedFile::open(path);
  const std::string name = printable_path(path);
  if (stated_members(file.bytes()) > kMostMembers)
    throw DataError(name + ": the archive has more than " + grouped(kMostMembers) +
                    " members; save X, y and w alone with numpy.savez");
  // zip_error_t may own memory: it is released on both ways out.
  zip_error_t error;
  zip_error_init(&error);
  const auto fail = [&] {
    const std::string why = zip_error_strerror(&error);
    const bool lacks_memory = zip_error_code_zip(&error) == ZIP_ER_MEMORY;
    zip_error_fini(&error);
    if (lacks_memory) throw std::bad_alloc();
    throw DataError(name + ": not a readable .npz (zip) archive: " + printable(why) + kAgain);
  };
  // The bytes are used where they are; CHECKCONS asks for libzip's stricter checks of consistency.
  zip_source_t* source = zip_source_buffer_create(file.bytes().data(), file.bytes().size(), 0, &error);
  if (source == nullptr) fail();
  std::unique_ptr<zip, Discard> archive(zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error));
  // The archive owns the source only if it was opened.
  if (archive == nullptr) {
    zip_source_free(source);
    fail();
  }
  zip_error_fini(&error);
  return {std::move(file), std::move(archive), name};
}

ZipArchive::Reader::Reader(const ZipArchive& archive, const ZipMember& member, std::string name)
    : name_(std::move(name)),
      left_(member.bytes),
      file_(zip_fopen_index(archive.archive_.get(), member.position, ZIP_FL_UNCHANGED)) {
  if (file_ != nullptr) return;
  require_memory(zip_get_error(archive.archive_.get()));
  fail("cannot be read");
}

void ZipArchive::Reader::fail(const std::string& why) const {
  throw DataError(name_ + ": " + why + kAgain);
}

void ZipArchive::Reader::fail_to_inflate() const {
  require_memory(zip_file_get_error(file_.get()));
  fail("corrupt: " + printable(zip_file_strerror(file_.get())));
}

void ZipArchive::Reader::read(std::byte* out, std::size_t size) {
  // Never more than the stated size: what was allocated for it cannot be overrun.
  if (size > left_) fail("the member ends early");
  // Invariant: out[0 .. done) is filled. zip_fread may return fewer bytes than asked for.
  for (std::size_t done = 0; done < size;) {
    const auto count = zip_fread(file_.get(), out + done, size - done);
    if (count < 0) fail_to_inflate();
    if (count == 0) fail("the member inflates to fewer bytes than stated");
    done += static_cast<std::size_t>(count);
  }
  left_ -= size;
}

void ZipArchive::Reader::finish() {
  if (left_ != 0) fail("not all of the member was used");
  // Reading past the end makes libzip compare the checksum.
  std::byte extra{};
  const auto count = zip_fread(file_.get(), &extra, 1);
  if (count < 0) fail_to_inflate();
  if (count > 0) fail("the member inflates beyond its stated size");
}

}  // namespace giga
