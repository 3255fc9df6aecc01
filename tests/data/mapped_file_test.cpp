// Every way a path can fail to be a readable file, and what mapping promises.
#include "giga/data/mapped_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "../support/temp_dir.hpp"
#include "giga/base/error.hpp"

namespace giga {
namespace {

using test::message_of;
using test::TempDir;
using test::write_file;

std::string text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

std::string missing_message(const std::filesystem::path& path) {
  return message_of<InputMissing>([&] { return MappedFile::open(path); });
}

TEST(MappedFile, ShowsTheBytesOfTheFile) {
  const TempDir dir;
  write_file(dir / "a", "hello");
  const MappedFile file = MappedFile::open(dir / "a");
  EXPECT_EQ(text_of(file), "hello");
  EXPECT_EQ(file.path(), dir / "a");
}

TEST(MappedFile, NamesEachReasonThereIsNothingToRead) {
  const TempDir dir;
  const std::string missing = missing_message(dir / "none");
  EXPECT_EQ(missing.find((dir / "none").string() + ": no such file"), 0U) << missing;
  EXPECT_NE(missing_message(dir.path()).find("is a directory"), std::string::npos);
  EXPECT_NE(missing_message("").find("no such file"), std::string::npos);
  write_file(dir / "a", "x");
  EXPECT_NE(missing_message(dir / "a/b").find("no such file"), std::string::npos);
  EXPECT_NE(missing_message(dir / std::string(300, 'n')).find("cannot open"), std::string::npos);
  EXPECT_NE(missing_message("/dev/null").find("not a regular file"), std::string::npos);
}

TEST(MappedFile, SaysSoWhenPermissionIsMissing) {
  const TempDir dir;
  write_file(dir / "secret", "x");
  ASSERT_EQ(::chmod((dir / "secret").c_str(), 0), 0);
  // Root may read everything: be somebody else for the moment.
  const bool root = ::geteuid() == 0;
  if (root) {
    ASSERT_EQ(::chmod(dir.path().c_str(), 0755), 0);
    ASSERT_EQ(::seteuid(65534), 0);
  }
  const std::string message = missing_message(dir / "secret");
  if (root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  EXPECT_NE(message.find("no permission"), std::string::npos) << message;
}

TEST(MappedFile, DoesNotWaitForAPipeNobodyWritesTo) {
  const TempDir dir;
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  EXPECT_NE(missing_message(dir / "pipe").find("not a regular file"), std::string::npos);
}

TEST(MappedFile, RefusesAnEmptyFileAsData) {
  const TempDir dir;
  write_file(dir / "empty", "");
  const std::string message = message_of<DataError>([&] { return MappedFile::open(dir / "empty"); });
  EXPECT_NE(message.find("file is empty"), std::string::npos) << message;
}

TEST(MappedFile, EscapesThePathInMessages) {
  const TempDir dir;
  EXPECT_NE(missing_message(dir / "a\n\x1b[31m").find("a\\x0a\\x1b[31m: no such file"), std::string::npos);
}

TEST(MappedFile, KeepsTheBytesInPlaceWhenMoved) {
  const TempDir dir;
  write_file(dir / "a", "first");
  write_file(dir / "b", "second");
  MappedFile a = MappedFile::open(dir / "a");
  const auto* data = a.bytes().data();
  MappedFile moved = std::move(a);
  EXPECT_EQ(moved.bytes().data(), data);
  moved = MappedFile::open(dir / "b");
  EXPECT_EQ(text_of(moved), "second");
}

TEST(MappedFile, ReleaseFreesPagesAndKeepsTheirContent) {
  const TempDir dir;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::string content;
  while (content.size() < 8 * page + 100) content += std::to_string(content.size()) + ",";
  write_file(dir / "a", content);
  const MappedFile file = MappedFile::open(dir / "a");
  file.advise_sequential();
  EXPECT_EQ(text_of(file), content);
  file.release(0, content.size());
  file.release(10, 3 * page);
  file.release(content.size() - 1, ~std::size_t{0});
  file.release(content.size() + page, 1);
  file.release(1, 1);
  EXPECT_EQ(text_of(file), content);
}

}  // namespace
}  // namespace giga
