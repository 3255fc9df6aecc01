#include "data/file_state.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "giga/base/error.hpp"
#include "support/temp_dir.hpp"

namespace giga {
namespace {

namespace fs = std::filesystem;

TEST(FileStates, FileThatWasWrittenToMeanwhileIsNamed) {
  const test::TempDir folder;
  const std::vector<fs::path> files = {folder / "a.csv", folder / "b.csv"};
  for (const fs::path& file : files) test::write_file(file, "x,y\n1,2\n");
  const FileStates before(files);
  EXPECT_NO_THROW(before.require_unchanged());
  test::write_file(files[1], "x,y\n1,2\n3,4\n");
  try {
    before.require_unchanged();
    FAIL() << "nothing was thrown";
  } catch (const IoError& error) {
    EXPECT_NE(std::string(error.what()).find("b.csv: was written to while it was read"), std::string::npos);
  }
  // Of the same size, at another time.
  const FileStates again(files);
  fs::last_write_time(files[0], fs::last_write_time(files[0]) + std::chrono::milliseconds(5));
  EXPECT_THROW(again.require_unchanged(), IoError);
}

TEST(FileStates, FileWhoseNameAnotherTookIsAsItWas) {
  const test::TempDir folder;
  const std::vector<fs::path> files = {folder / "a.csv"};
  test::write_file(files[0], "x,y\n1,2\n");
  const FileStates before(files);
  test::write_file(folder / "new.csv", "x,y\n1,2\n3,4\n");
  fs::rename(folder / "new.csv", files[0]);
  EXPECT_NO_THROW(before.require_unchanged());
}

TEST(FileStates, FileThatCannotBeExaminedIsAnError) {
  const test::TempDir folder;
  fs::create_directory(folder / "d");
  const std::vector<fs::path> files = {folder / "d/a.csv"};
  test::write_file(files[0], "x,y\n1,2\n");
  const FileStates before(files);
  fs::rename(folder / "d", folder / "e");
  EXPECT_NO_THROW(before.require_unchanged()) << "what was read of a file that is gone belongs together";
  fs::create_symlink("d", folder / "d");
  const std::string message = test::message_of<IoError>([&] { before.require_unchanged(); });
  EXPECT_EQ(message.find(files[0].string() + ": cannot examine: "), 0U) << message;
}

}  // namespace
}  // namespace giga
