// The tables of names: read back, complete, in the order they are written in.
#include "giga/base/names.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "giga/base/termination.hpp"
#include "giga/construct/build.hpp"
#include "giga/construct/simulate.hpp"
#include "giga/data/read_dataset.hpp"
#include "giga/infer/certificate.hpp"
#include "giga/infer/chain.hpp"
#include "giga/pipeline/build_coreset.hpp"

namespace giga {
namespace {

enum class Colour { Red, Green, Blue };
constexpr auto name_table(Colour) {
  using enum Colour;
  return names_are<Colour>({{Blue, "blue", "as the sky"}, {Red, "red"}, {Green, "green"}});
}

template <typename Enum>
void expect_names_read_back() {
  for (const Enum value : values_of<Enum>()) EXPECT_EQ(named<Enum>(name(value)), value) << name(value);
  EXPECT_EQ(named<Enum>(""), std::nullopt);
  EXPECT_EQ(named<Enum>("unknown"), std::nullopt);
}

TEST(Names, KeepTheOrderOfTheTable) {
  EXPECT_EQ(names_of<Colour>(), (std::array<std::string_view, 3>{"blue", "red", "green"}));
  EXPECT_EQ(values_of<Colour>(), (std::array{Colour::Blue, Colour::Red, Colour::Green}));
}

TEST(Names, CarryWordsWhereTheTableHasThem) {
  EXPECT_EQ(words(Colour::Blue), "as the sky");
  EXPECT_EQ(words(Colour::Red), "");
}

TEST(Names, AreFoundExactlyOrNotAtAll) {
  EXPECT_EQ(named<Colour>("green"), Colour::Green);
  for (const char* text : {"Green", "green ", "gree", ""}) EXPECT_EQ(named<Colour>(text), std::nullopt);
}

TEST(Names, RefuseAValueThatIsNoEnumerator) {
  EXPECT_THROW((void)name(static_cast<Colour>(3)), std::invalid_argument);
}

// What a table is refused for when it is compiled.
TEST(Names, NoticeAnEnumeratorThatTheTableLeavesOut) {
  EXPECT_TRUE(names_detail::is_enumerator<Colour::Blue>());
  EXPECT_FALSE(names_detail::is_enumerator<static_cast<Colour>(3)>());
  constexpr auto kTwice = names_are<Colour>({{Colour::Red, "red"}, {Colour::Red, "rot"}});
  constexpr auto kGap = names_are<Colour>({{Colour::Red, "red"}, {Colour::Blue, "blue"}});
  constexpr auto kSame = names_are<Colour>({{Colour::Red, "red"}, {Colour::Green, "red"}});
  EXPECT_FALSE(names_detail::counts_from_zero(kTwice));
  EXPECT_FALSE(names_detail::counts_from_zero(kGap));
  EXPECT_FALSE(names_detail::names_differ(kSame));
}

TEST(Names, OfEveryChoiceReadBack) {
  expect_names_read_back<Termination>();
  expect_names_read_back<Method>();
  expect_names_read_back<SelectorKind>();
  expect_names_read_back<VectorKind>();
  expect_names_read_back<Norm>();
  expect_names_read_back<Expansion>();
  expect_names_read_back<PihatKind>();
  expect_names_read_back<ProjectionKind>();
  expect_names_read_back<Stage>();
  expect_names_read_back<SamplerKind>();
  expect_names_read_back<MetricKind>();
  expect_names_read_back<LaplaceEnd>();
  expect_names_read_back<Doubt>();
  expect_names_read_back<Missing>();
}

}  // namespace
}  // namespace giga
