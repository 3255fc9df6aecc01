#include "giga/record/run_lock.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "giga/base/error.hpp"
#include "support/temp_dir.hpp"

namespace giga {
namespace {

namespace fs = std::filesystem;

TEST(RunLock, MakesTheFolderAndRemovesItIfNothingIsLeftInIt) {
  const test::TempDir folder;
  {
    const RunLock lock(folder / "run");
    EXPECT_TRUE(fs::is_directory(folder / "run"));
    EXPECT_FALSE(lock.note());
  }
  EXPECT_FALSE(fs::exists(folder / "run"));
  {
    const RunLock lock(folder / "run");
    test::write_file(folder / "run/result", "7");
  }
  EXPECT_EQ(test::read_file(folder / "run/result"), "7");
  EXPECT_FALSE(fs::exists(folder / "run/.giga-lock"));
}

TEST(RunLock, IsHeldByOneUntilItLetsGo) {
  const test::TempDir folder;
  {
    const RunLock lock(folder.path());
    try {
      const RunLock another(folder.path());
      FAIL() << "two hold it";
    } catch (const CannotCreate& error) {
      EXPECT_NE(std::string(error.what()).find("in use by process " + std::to_string(::getpid())),
                std::string::npos)
          << error.what();
    }
  }
  EXPECT_NO_THROW(RunLock(folder.path()));
}

TEST(RunLock, OfAProcessThatEndedIsTakenOverWithANote) {
  const test::TempDir folder;
  test::write_file(folder / ".giga-lock", "4711\n");
  const RunLock lock(folder.path());
  ASSERT_TRUE(lock.note());
  EXPECT_NE(lock.note()->find("process 4711 ended"), std::string::npos) << *lock.note();
}

TEST(RunLock, LeftBehindIsClearedUnlessItIsHeld) {
  const test::TempDir folder;
  RunLock::clear(folder.path());
  EXPECT_EQ(folder.size(), 0);
  test::write_file(folder / ".giga-lock", "4711\n");
  RunLock::clear(folder.path());
  EXPECT_EQ(folder.size(), 0);
  const RunLock held(folder.path());
  EXPECT_THROW(RunLock::clear(folder.path()), CannotCreate);
  EXPECT_EQ(folder.size(), 1);
}

TEST(RunLock, LeftBehindIsKnownByItsTime) {
  const test::TempDir folder;
  test::write_file(folder / "run.json", "{}");
  EXPECT_FALSE(RunLock::left_since(folder.path(), folder / "run.json"));
  test::write_file(folder / ".giga-lock", "4711\n");
  const auto written = fs::last_write_time(folder / "run.json");
  fs::last_write_time(folder / ".giga-lock", written + std::chrono::seconds(1));
  EXPECT_TRUE(RunLock::left_since(folder.path(), folder / "run.json"));
  fs::last_write_time(folder / ".giga-lock", written - std::chrono::seconds(1));
  EXPECT_FALSE(RunLock::left_since(folder.path(), folder / "run.json"));
}

TEST(RunLock, CannotBeHadWhereNoFolderCanBeMade) {
  const test::TempDir folder;
  test::write_file(folder / "file", "7");
  EXPECT_THROW(RunLock(folder / "file"), CannotCreate);
  EXPECT_THROW(RunLock(folder / "missing/run"), CannotCreate);
}

}  // namespace
}  // namespace giga
