// A zip archive read where it lies in memory. Nothing is ever written to disk: member names are labels.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "giga/data/mapped_file.hpp"

struct zip;
struct zip_file;

namespace giga {

struct ZipMember {
  std::string name;
  std::size_t position = 0;
  std::size_t stored_bytes = 0;  ///< compressed, as stated
  std::size_t bytes = 0;         ///< inflated, as stated; at most what the compressed bytes can hold
};

/// Throws DataError for what is not a zip archive, or not one numpy.savez would write.
class ZipArchive {
 public:
  [[nodiscard]] static ZipArchive open(const std::filesystem::path& path);

  [[nodiscard]] const std::vector<ZipMember>& members() const { return members_; }
  [[nodiscard]] std::size_t file_bytes() const { return file_.bytes().size(); }
  /// As MappedFile::require_whole().
  void require_whole() const { file_.require_whole(); }

  /// The bytes of one member, in order.
  class Reader {
   public:
    Reader(const ZipArchive& archive, const ZipMember& member, std::string name);
    /// Fills out[0 .. size) or throws DataError: the member is cut or corrupt.
    void read(std::byte* out, std::size_t size);
    /// Throws DataError unless all stated bytes were read, no more follow and the checksum is right.
    void finish();

   private:
    struct Close {
      void operator()(zip_file* file) const;
    };
    [[noreturn]] void fail(const std::string& why) const;
    [[noreturn]] void fail_to_inflate() const;

    std::string name_;
    std::size_t left_;
    std::unique_ptr<zip_file, Close> file_;
  };

 private:
  struct Discard {
    void operator()(zip* archive) const;
  };
  ZipArchive(MappedFile file, std::unique_ptr<zip, Discard> archive, const std::string& name);

  MappedFile file_;
  std::unique_ptr<zip, Discard> archive_;
  std::vector<ZipMember> members_;
};

}  // namespace giga
