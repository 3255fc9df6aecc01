#include "fuzz/support/memory_files.hpp"

#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/data/mapped_file.hpp"

namespace giga {
namespace {

std::map<std::string, std::string_view>& files() {
  static std::map<std::string, std::string_view> all;
  return all;
}

void release_all(std::span<const std::byte> bytes) {
  delete[] bytes.data();
}

}  // namespace

namespace fuzz {

MemoryFile::MemoryFile(std::string path, std::string_view bytes) : path_(std::move(path)) {
  files().emplace(path_, bytes);
}

MemoryFile::~MemoryFile() {
  files().erase(path_);
}

}  // namespace fuzz

// The promises of mapped_file.hpp, kept by memory.

MappedFile::MappedFile(std::filesystem::path path, std::span<const std::byte> bytes,
                       std::shared_ptr<const FileState> state)
    : path_(std::move(path)), bytes_(bytes), state_(std::move(state)) {}

MappedFile MappedFile::open(const std::filesystem::path& path) {
  const auto found = files().find(path.native());
  if (found == files().end()) throw InputMissing(printable_path(path) + ": no such file; check the path");
  const std::string_view text = found->second;
  if (text.empty()) throw DataError(printable_path(path) + ": file is empty");
  auto bytes = std::make_unique<std::byte[]>(text.size());
  std::memcpy(bytes.get(), text.data(), text.size());
  return {path, {bytes.release(), text.size()}, nullptr};
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)), bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this != &other) {
    release_all(bytes_);
    path_ = std::move(other.path_);
    bytes_ = std::exchange(other.bytes_, {});
  }
  return *this;
}

MappedFile::~MappedFile() {
  release_all(bytes_);
}

void MappedFile::release(std::size_t /*offset*/, std::size_t /*length*/) const noexcept {}

void MappedFile::advise_sequential() const noexcept {}

void MappedFile::require_unchanged() const {}

void MappedFile::require_whole() const {}

}  // namespace giga
