// Files that are in memory alone. Targets link memory_files.cpp, which is MappedFile in place of
// src/data/mapped_file.cpp: readers that take a path get bytes of exactly the size of the file on the heap,
// so that the address sanitizer sees what a page of a mapping would hide, and nothing on a disk is touched.
#pragma once

#include <string>
#include <string_view>

namespace giga::fuzz {

/// A path at which a file is to be found as long as this object lives; all others are missing.
class MemoryFile {
 public:
  MemoryFile(std::string path, std::string_view bytes);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

 private:
  std::string path_;
};

}  // namespace giga::fuzz
