// What there is in folders, and what cannot be told.
#include "giga/data/folders.hpp"

#include <gtest/gtest.h>

#include <string>

#include "../support/temp_dir.hpp"
#include "giga/base/error.hpp"

namespace giga {
namespace {

namespace fs = std::filesystem;

using test::message_of;
using test::TempDir;
using test::write_file;

TEST(Folders, TellWhatIsThere) {
  const TempDir folder;
  write_file(folder / "file", "x");
  fs::create_symlink("nowhere", folder / "link");
  EXPECT_TRUE(make_folder(folder / "made"));
  EXPECT_FALSE(make_folder(folder / "made"));
  for (const char* name : {"file", "link", "made"}) EXPECT_TRUE(is_present(folder / name)) << name;
  EXPECT_FALSE(is_present(folder / "none"));
  EXPECT_FALSE(is_present(folder / "file/below"));
  EXPECT_TRUE(is_folder(folder / "made"));
  EXPECT_FALSE(is_folder(folder / "file"));
  EXPECT_EQ(entries_of(folder.path()).size(), 3U);
  EXPECT_TRUE(entries_of(folder / "none").empty());
  EXPECT_EQ(type_of(folder / "link"), fs::file_type::symlink);
}

TEST(Folders, WhatCannotBeToldIsAnErrorAndNotANo) {
  const TempDir folder;
  const fs::path name = folder / std::string(300, 'n');  // longer than a name may be
  EXPECT_NE(message_of<CannotCreate>([&] { (void)is_present(name); }).find("cannot be examined"),
            std::string::npos);
  EXPECT_THROW((void)is_folder(name), CannotCreate);
  EXPECT_THROW((void)entries_of(name), CannotCreate);
  EXPECT_THROW(make_folder(name), CannotCreate);
  EXPECT_THROW(remove_present(name), CannotCreate);
}

TEST(Folders, AreRemovedIfTheyAreThere) {
  const TempDir folder;
  fs::create_directories(folder / "a/b");
  write_file(folder / "a/b/file", "x");
  EXPECT_THROW(remove_present(folder / "a"), CannotCreate) << "it is not empty";
  remove_folder(folder / "a");
  remove_folder(folder / "a");
  remove_present(folder / "a");
  EXPECT_TRUE(entries_of(folder.path()).empty());
}

}  // namespace
}  // namespace giga
