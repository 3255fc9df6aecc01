// Escaping, and numbers that survive the way to text and back.
#include "giga/base/text.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "giga/base/printable.hpp"

namespace giga {
namespace {

TEST(Text, PrintableKeepsUtf8AndEscapesTheRest) {
  EXPECT_EQ(printable("plain, Köln, 漢, 😀"), "plain, Köln, 漢, 😀");
  EXPECT_EQ(printable(std::string_view("a\0b\n\x1b[31m\x7f", 10)), "a\\x00b\\x0a\\x1b[31m\\x7f");
  EXPECT_EQ(printable("\xff\xfe|\xc3"), "\\xff\\xfe|\\xc3");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");           // C1: the 8-bit escape of terminals
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");           // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST(Text, PrintableShowsWhatIsNotSeenOrTurnsTextRound) {
  EXPECT_EQ(printable("a\u202eb"), "a\\xe2\\x80\\xaeb");
  EXPECT_EQ(printable("\u2066a\u2069"), "\\xe2\\x81\\xa6a\\xe2\\x81\\xa9");
  EXPECT_EQ(printable("a\u200bb\ufeff"), "a\\xe2\\x80\\x8bb\\xef\\xbb\\xbf");
  EXPECT_EQ(printable("a\u2028"), "a\\xe2\\x80\\xa8");
  EXPECT_EQ(printable("\U000e0041"), "\\xf3\\xa0\\x81\\x81");
  // Letters and emoji that are joined stay whole; ASCII is never joined.
  EXPECT_EQ(printable("\u0645\u06cc\u200c\u062e"), "\u0645\u06cc\u200c\u062e");
  EXPECT_EQ(printable("\U0001f469\u200d\U0001f52c \u2764\ufe0f"), "\U0001f469\u200d\U0001f52c \u2764\ufe0f");
  EXPECT_EQ(printable("a\u200db"), "a\\xe2\\x80\\x8db");
  EXPECT_EQ(printable("\xff\u200d"), "\\xff\\xe2\\x80\\x8d");
}

TEST(Text, PrintableLinesKeepsTheirEndsAndCutsNothing) {
  EXPECT_EQ(printable_lines("a\tb\n\x1b[2J\r\n"), "a\tb\n\\x1b[2J\\x0d\n");
  EXPECT_EQ(printable_lines(std::string(5000, 'x')), std::string(5000, 'x'));
  EXPECT_EQ(printable_lines(""), "");
}

TEST(Text, PrintableJsonSaysTheSame) {
  EXPECT_EQ(printable_json("{\n\t\"K\u00f6ln\": \"a\\n\"}"), "{\n\t\"K\u00f6ln\": \"a\\n\"}");
  EXPECT_EQ(printable_json("\"\x7f \u009b \u202e \U000e0041\""),
            "\"\\u007f \\u009b \\u202e \\udb40\\udc41\"");
}

TEST(Text, PrintableCutsAtTheLimitBetweenCharacters) {
  EXPECT_EQ(printable(std::string(80, 'x')), std::string(80, 'x'));
  EXPECT_EQ(printable(std::string(81, 'x')), std::string(80, 'x') + "...");
  EXPECT_EQ(printable("aaö", 3), "aa...");
  EXPECT_EQ(printable("aa\n", 5), "aa...");
  EXPECT_EQ(printable("x", 0), "...");
  EXPECT_EQ(printable("", 0), "");
}

TEST(Text, PrintableOfAnyBytesIsPrintable) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes(random() % 40, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    const std::string once = printable(bytes, 1000);
    EXPECT_EQ(printable(once, 1000), once);
  }
}

TEST(Text, ShortestReadsBackToTheSameBits) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 20000; ++round) {
    const auto value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    const auto back = parse_double(shortest(value));
    ASSERT_TRUE(back) << shortest(value);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(*back), std::bit_cast<std::uint64_t>(value));
  }
  EXPECT_EQ(shortest(0.1), "0.1");
  EXPECT_EQ(shortest(-0.0), "-0");
  EXPECT_EQ(shortest(100.0), "100");
}

TEST(Text, FieldsAreQuotedWhereReadersWouldTakeThemForMore) {
  EXPECT_EQ(csv_field("plain text"), "plain text");
  EXPECT_EQ(csv_field("a#b"), "a#b");
  EXPECT_EQ(csv_field("#a"), "\"#a\"");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"a\""), "\"say \"\"a\"\"\"");
}

TEST(Text, ParseDoubleTakesWholeDecimalNumbersOnly) {
  EXPECT_EQ(parse_double("-1.5e3"), -1500.0);
  EXPECT_EQ(parse_double("7"), 7.0);
  EXPECT_EQ(parse_double(".5"), 0.5);
  EXPECT_EQ(parse_double("4.9e-324"), std::numeric_limits<double>::denorm_min());
  for (const char* text :
       {"",    " 1",  "1 ",   "+1",       "1,5", "1 000", "0x1p3",  "1.5abc", "1e",     "-",  ".",
        "--1", "inf", "-inf", "infinity", "nan", "NaN",   "nan(1)", "1e400",  "-1e400", "NA", "1.0.0"}) {
    EXPECT_FALSE(parse_double(text)) << text;
  }
  EXPECT_FALSE(parse_double(std::string_view("1\0", 2)));
  EXPECT_FALSE(parse_double(std::string(400, '9')));
  EXPECT_FALSE(parse_double("1e99999999999999999999"));
}

TEST(Text, ParseDoubleMakesTooSmallNumbersSignedZeros) {
  const std::string zeros = "0." + std::string(400, '0') + "1";
  for (const std::string& text : {std::string("1e-400"), zeros, std::string("1e-99999999999999999999")}) {
    ASSERT_TRUE(parse_double(text)) << text;
    EXPECT_EQ(*parse_double(text), 0.0);
    EXPECT_FALSE(std::signbit(*parse_double(text)));
    EXPECT_TRUE(std::signbit(*parse_double("-" + text)));
  }
}

TEST(Inert, FormulasGetAnApostropheAndDifferentTextsStayDifferent) {
  EXPECT_EQ(inert("=x"), "'=x");
  EXPECT_EQ(inert("'=x"), "''=x");
  EXPECT_EQ(inert("-1.5"), "-1.5");
  EXPECT_EQ(inert("'-1.5"), "'-1.5");
  EXPECT_EQ(inert("-a"), "'-a");
  EXPECT_EQ(inert("it's"), "it's");
  EXPECT_EQ(inert("'quoted'"), "'quoted'");
  EXPECT_EQ(inert(""), "");
  EXPECT_EQ(inert("\n=x"), "'\n=x");
  EXPECT_EQ(inert("\uff1dx"), "'\uff1dx");  // a full-width =
  EXPECT_EQ(inert("\uff0d1"), "'\uff0d1");
  // All texts of up to five of these letters: no two become one, and none begins as a formula.
  std::vector<std::string> texts = {""};
  for (std::size_t i = 0; i < texts.size() && texts[i].size() < 5; ++i)
    for (const char c : {'\'', '=', '-', '1', 'x'}) texts.push_back(texts[i] + c);
  std::set<std::string> written;
  for (const std::string& text : texts) {
    const std::string safe = inert(text);
    EXPECT_TRUE(written.insert(safe).second) << text;
    EXPECT_TRUE(safe.empty() || (safe[0] != '=' && safe[0] != '-') || parse_double(safe)) << safe;
    EXPECT_TRUE(safe == text || safe == "'" + text) << safe;
  }
}

}  // namespace
}  // namespace giga
