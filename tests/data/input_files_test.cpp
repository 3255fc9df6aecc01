// Patterns, lists and folders: which files an input names.
#include "giga/data/input_files.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../support/temp_dir.hpp"
#include "giga/base/error.hpp"
#include "giga/data/read_dataset.hpp"

namespace giga {
namespace {

namespace fs = std::filesystem;
using namespace test;
using Names = std::vector<std::string>;

class InputFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"part-10.csv", "part-2.csv", "part-1.csv", "B.csv", "a,b.csv", "odd[1].csv"})
      write_file(folder_ / name, "x,y\n1,2\n");
  }

  [[nodiscard]] Names names_of(const std::string& input) const {
    Names names;
    for (const fs::path& file : input_files(input)) names.push_back(file.filename().string());
    return names;
  }
  [[nodiscard]] std::string in(const std::string& name) const { return (folder_ / name).string(); }

  TempDir folder_;
};

TEST_F(InputFiles, OfAPatternAreInTheOrderOfBytes) {
  EXPECT_EQ(names_of(in("part-*.csv")), (Names{"part-1.csv", "part-10.csv", "part-2.csv"}));
  EXPECT_EQ(names_of(in("[Bp]*")), (Names{"B.csv", "part-1.csv", "part-10.csv", "part-2.csv"}));
}

TEST_F(InputFiles, OfAListAreInItsOrder) {
  EXPECT_EQ(names_of(in("part-2.csv") + "," + in("part-1*.csv") + ", " + in("B.csv")),
            (Names{"part-2.csv", "part-1.csv", "part-10.csv", "B.csv"}));
  EXPECT_EQ(names_of("\"" + in("a,b.csv") + "\"," + in("B.csv")), (Names{"a,b.csv", "B.csv"}));
}

TEST_F(InputFiles, ThatExistAreThemselves) {
  EXPECT_EQ(names_of(in("a,b.csv")), (Names{"a,b.csv"}));
  EXPECT_EQ(names_of(in("odd[1].csv")), (Names{"odd[1].csv"}));
  EXPECT_EQ(input_files("-"), std::vector<fs::path>{"-"});
  EXPECT_EQ(input_files("no,such.csv"), std::vector<fs::path>{"no,such.csv"});
}

TEST_F(InputFiles, OfAFolderAreTheTablesInIt) {
  write_file(folder_ / "notes.md", "no table");
  write_file(folder_ / ".hidden.csv", "x\n");
  write_file(folder_ / "_done.csv", "x\n");
  fs::create_directory(folder_ / "more.csv");
  EXPECT_EQ(names_of(folder_.path().string()),
            (Names{"B.csv", "a,b.csv", "odd[1].csv", "part-1.csv", "part-10.csv", "part-2.csv"}));
  fs::create_directory(folder_ / "empty");
  EXPECT_EQ(names_of(in("empty")), Names{"empty"});
  write_file(folder_ / "p.parquet", "PAR1");
  EXPECT_EQ(input_files(folder_.path()), std::vector<fs::path>{folder_.path()});
}

TEST_F(InputFiles, ThatAPatternDoesNotMatchAreMissing) {
  EXPECT_EQ(message_of<InputMissing>([&] { (void)input_files(in("none-*.csv")); }),
            in("none-*.csv") + ": no file matches the pattern; check the path");
}

TEST_F(InputFiles, GivenTwiceAreRefused) {
  EXPECT_EQ(message_of<OptionError>([&] { (void)input_files(in("B.csv") + "," + in("B*")); }),
            in("B.csv") + ": is given twice; name it once");
  fs::create_symlink("part-1.csv", folder_ / "part-3.csv");
  EXPECT_EQ(message_of<OptionError>([&] { (void)input_files(in("part-*")); }),
            in("part-3.csv") + ": is the same file as " + in("part-1.csv") + "; name one of the two");
  EXPECT_NE(message_of<OptionError>([&] { (void)input_files(in("B.csv") + ",-"); }).find("standard input"),
            std::string::npos);
}

// A file that goes away between the listing and the reading is one that is not there.
TEST_F(InputFiles, ThatAreGoneAreNamed) {
  fs::create_symlink("gone.csv", folder_ / "part-5.csv");
  EXPECT_EQ(message_of<InputMissing>([&] { require_input(in("part-*.csv")); }),
            in("part-5.csv") + ": no such file; check the path");
}

TEST_F(InputFiles, AreTheSameFromAnyFolder) {
  const fs::path before = fs::current_path();
  fs::create_directory(folder_ / "odd[*]");
  fs::current_path(folder_ / "odd[*]");
  for (const char* name : {"u.csv", "v.csv", "w,1.csv"}) write_file(name, "x,y\n1,2\n");
  const std::vector<std::string> inputs = {"?.csv", "u.csv", "v.csv,\"w,1.csv\"", "u.csv,v*.csv", "w,1.csv"};
  std::vector<Names> expected;
  std::vector<fs::path> absolute;
  for (const std::string& input : inputs) {
    expected.push_back(names_of(input));
    absolute.push_back(absolute_input(input));
  }
  fs::current_path(before);
  for (std::size_t i = 0; i < inputs.size(); ++i) EXPECT_EQ(names_of(absolute[i].string()), expected[i]);
  EXPECT_EQ(absolute_input("-"), "-");
  EXPECT_EQ(absolute_input(""), "");
}

TEST_F(InputFiles, JoinedAreAListThatNamesThem) {
  EXPECT_EQ(joined_input({"a.csv"}), "a.csv");
  EXPECT_EQ(joined_input({"a.csv", "b,c.csv", " d"}), "a.csv,\"b,c.csv\",\" d\"");
  EXPECT_EQ(names_of(joined_input({in("B.csv"), in("a,b.csv"), in("odd[1].csv")}).string()),
            (Names{"B.csv", "a,b.csv", "odd[1].csv"}));
  EXPECT_EQ(input_words("a.csv,b.csv,c.csv"), "a.csv and 2 others");
  EXPECT_EQ(input_words("parts/*.csv"), "parts/*.csv");
}

TEST_F(InputFiles, AreRecognisedAsOfTheInput) {
  EXPECT_TRUE(is_of_input(in("B.csv"), in("B.csv")));
  EXPECT_TRUE(is_of_input(in("part-2.csv"), in("part-*.csv")));
  EXPECT_FALSE(is_of_input(in("B.csv"), in("part-*.csv")));
  EXPECT_FALSE(is_of_input(in("new.csv"), in("*.csv")));
  EXPECT_FALSE(is_of_input(in("B.csv"), "-"));
}

TEST_F(InputFiles, GiveNamesToWhatIsMadeOfThem) {
  EXPECT_EQ(input_stem("data/flights.csv.gz"), "flights");
  EXPECT_EQ(input_stem("data/flights/"), "flights");
  EXPECT_EQ(input_stem("data/flights-*.csv"), "flights");
  EXPECT_EQ(input_stem("flights/*.csv"), "flights");
  EXPECT_EQ(input_stem("p/part-001.csv,p/part-002.csv"), "part");
  EXPECT_EQ(input_stem("p/1.csv,p/2.csv"), "p");
  EXPECT_EQ(input_stem("*.csv"), "data");
  EXPECT_EQ(input_stem(".hidden.csv"), ".hidden");
  EXPECT_EQ(input_stem("-"), "stdin");
  EXPECT_EQ(input_stem(""), "query");
}

}  // namespace
}  // namespace giga
