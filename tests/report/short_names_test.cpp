#include "report/short_names.hpp"

#include <gtest/gtest.h>

#include <set>

namespace giga::test {
namespace {

using Names = std::vector<std::string>;

TEST(ShortNames, NamesThatFitStayAsTheyAre) {
  const Names names = {"x", "carrierUA", "exactly ten", ""};
  EXPECT_EQ(short_names(names, 11), names);
}

TEST(ShortNames, LongOnesLoseTheirMiddle) {
  EXPECT_EQ(short_names(Names{"origin_airportJFK"}, 11), Names{"or...ortJFK"});
  EXPECT_EQ(short_names(Names{"origin_airportJFK"}, 11, "\xE2\x80\xA6"), Names{"ori\xE2\x80\xA6portJFK"});
}

TEST(ShortNames, NoCharacterIsCutAndWideOnesCountTwice) {
  // Ten letters of two columns each: 2 + 1 + 5 columns are one letter, the ellipsis, two letters.
  std::string wide;
  for (int k = 0; k < 10; ++k) wide += "\xE6\xBC\xA2";
  EXPECT_EQ(short_names(Names{wide}, 8, "~"), Names{"\xE6\xBC\xA2~\xE6\xBC\xA2\xE6\xBC\xA2"});
  EXPECT_EQ(short_names(Names{wide}, 20, "~"), Names{wide});
  EXPECT_EQ(short_names(Names{wide}, 19, "~").front().size() % 3, 1U);
}

TEST(ShortNames, ThoseThatDifferInTheirMiddleShowIt) {
  const std::string a(30, 'a'), b(30, 'b');
  EXPECT_EQ(short_names(Names{a + "JFK" + b, a + "JFL" + b, a + "LGA" + b}, 20),
            (Names{"aaaaa...JFKbbbbbb...", "aaaaa...JFLbbbbbb...", "aaaaa...LGAbbbbbb..."}));
  // The second shares more with the first than the third does.
  EXPECT_EQ(short_names(Names{a + b + "1" + a, a + b + "2" + a, a + "c" + b + a}, 14),
            (Names{"aaa...1aaaa...", "aaa...2aaaa...", "aaa...cbbbb..."}));
}

TEST(ShortNames, StayDifferentWhateverTheyHaveInCommon) {
  const std::string same(60, 'a');
  Names names;
  for (const char* middle : {"one", "two", "three"}) {
    std::string name = same;
    names.push_back(name.append(middle).append(same));
  }
  names.emplace_back(1000, 'b');
  names.emplace_back(1001, 'b');
  names.emplace_back("line\nbreak");
  names.emplace_back("line\\x0abreak");
  for (const std::size_t limit : {8U, 24U, 80U}) {
    const Names cut = short_names(names, limit);
    EXPECT_EQ(std::set<std::string>(cut.begin(), cut.end()).size(), names.size()) << limit;
    for (const std::string& name : cut) EXPECT_LE(name.size(), limit + 4) << name;  // " (2)"
  }
}

}  // namespace
}  // namespace giga::test
