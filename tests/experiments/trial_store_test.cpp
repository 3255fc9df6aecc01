#include "experiments/trial_store.hpp"

#include <gtest/gtest.h>

#include "giga/base/error.hpp"
#include "support/temp_dir.hpp"

namespace giga::experiments {
namespace {

using test::message_of;
using test::read_file;
using test::TempDir;

const Json kSettings = {{"seed", 1}, {"rows", 10}};

auto number(const char* key) {
  return [key](const Json& json) { return json.at(key).get<double>(); };
}

TEST(TrialStore, KeepsWhatWasSaved) {
  const TempDir folder;
  const TrialStore store(folder / "e", kSettings, Earlier::Refuse);
  EXPECT_FALSE(store.has("trial_01"));
  store.save("trial_01", {{"error", 0.1}}, {{"seconds", 3}});
  EXPECT_TRUE(store.has("trial_01"));
  EXPECT_EQ(store.read_result("trial_01", number("error")), 0.1);
  EXPECT_EQ(store.read_times("trial_01", number("seconds")), 3);
}

TEST(TrialStore, ATrialWithoutItsResultIsNotThere) {
  const TempDir folder;
  const TrialStore store(folder / "e", kSettings, Earlier::Refuse);
  test::write_file(folder / "e/times/trial_01.json", "{}\n");
  EXPECT_FALSE(store.has("trial_01"));
}

TEST(TrialStore, AnEarlierRunIsRefusedResumedOrReplaced) {
  const TempDir folder;
  TrialStore(folder / "e", kSettings, Earlier::Refuse).save("trial_01", {{"error", 0.1}}, {});
  EXPECT_NE(message_of<CannotCreate>([&] {
              TrialStore(folder / "e", kSettings, Earlier::Refuse);
            }).find("--resume"),
            std::string::npos);
  EXPECT_TRUE(TrialStore(folder / "e", kSettings, Earlier::Resume).has("trial_01"));
  EXPECT_FALSE(TrialStore(folder / "e", kSettings, Earlier::Replace).has("trial_01"));
}

TEST(TrialStore, OtherSettingsAreNotMixedWithEarlierTrials) {
  const TempDir folder;
  TrialStore(folder / "e", kSettings, Earlier::Refuse).save("trial_01", {{"error", 0.1}}, {});
  const std::string before = read_file(folder / "e/settings.json");
  const Json other = {{"seed", 2}, {"rows", 10}};
  const std::string message =
      message_of<CannotCreate>([&] { TrialStore(folder / "e", other, Earlier::Resume); });
  EXPECT_NE(message.find("seed: 1 before, 2 now"), std::string::npos) << message;
  EXPECT_EQ(read_file(folder / "e/settings.json"), before);
}

TEST(TrialStore, ADamagedTrialIsNamed) {
  const TempDir folder;
  const TrialStore store(folder / "e", kSettings, Earlier::Refuse);
  store.save("trial_01", {{"error", 0.1}}, {});
  test::write_file(folder / "e/trials/trial_01.json", "{\"error\": ");
  EXPECT_NE(message_of<DataError>([&] {
              (void)store.read_result("trial_01", number("error"));
            }).find("trials/trial_01.json"),
            std::string::npos);
}

TEST(TrialStore, ATrialThatLacksWhatIsLookedForIsNamed) {
  const TempDir folder;
  const TrialStore store(folder / "e", kSettings, Earlier::Refuse);
  store.save("trial_01", {{"error", "much"}}, Json::object());
  const std::string other =
      message_of<DataError>([&] { (void)store.read_result("trial_01", number("error")); });
  EXPECT_NE(other.find("trials/trial_01.json"), std::string::npos) << other;
  const std::string none =
      message_of<DataError>([&] { (void)store.read_times("trial_01", number("seconds")); });
  EXPECT_NE(none.find("times/trial_01.json"), std::string::npos) << none;
}

TEST(TrialStore, TrialsOfAnUnknownRunAreRefusedUnlessReplaced) {
  const TempDir folder;
  TrialStore(folder / "e", kSettings, Earlier::Refuse).save("trial_01", {{"error", 0.1}}, {});
  std::filesystem::remove(folder / "e/settings.json");
  for (const Earlier earlier : {Earlier::Refuse, Earlier::Resume}) {
    const std::string message =
        message_of<CannotCreate>([&] { TrialStore(folder / "e", kSettings, earlier); });
    EXPECT_NE(message.find("trials of an unknown run"), std::string::npos) << message;
    EXPECT_NE(message.find("--force"), std::string::npos) << message;
    EXPECT_FALSE(std::filesystem::exists(folder / "e/settings.json"));
  }
  EXPECT_FALSE(TrialStore(folder / "e", kSettings, Earlier::Replace).has("trial_01"));
}

TEST(TrialStore, ReplaceRemovesTheSettingsLastAndSaysWhatItCannotRemove) {
  const TempDir folder;
  TrialStore(folder / "e", kSettings, Earlier::Refuse).save("trial_01", {{"error", 0.1}}, {});
  // A folder in its place that is not empty cannot be removed as a file.
  std::filesystem::remove(folder / "e/settings.json");
  std::filesystem::create_directory(folder / "e/settings.json");
  test::write_file(folder / "e/settings.json/mine", "mine");
  const std::string message =
      message_of<CannotCreate>([&] { TrialStore(folder / "e", kSettings, Earlier::Replace); });
  EXPECT_NE(message.find("settings.json: cannot be removed"), std::string::npos) << message;
  EXPECT_FALSE(std::filesystem::exists(folder / "e/trials")) << "removed before";
}

TEST(TrialStore, ReplaceRemovesFiguresAndVerdictsOfTheEarlierRunAlone) {
  const TempDir folder;
  const std::vector<std::string> made = {"old.svg",   "old.csv",      "verdicts.md", "verdicts.json",
                                         "timing.md", "figures.html", "data.json"};
  const TrialStore earlier(folder / "e", kSettings, Earlier::Refuse);
  for (const std::string& file : made) test::write_file(folder.path() / "e" / file, "old");
  test::write_file(folder / "e/notes.txt", "mine");
  const TrialStore anew(folder / "e", kSettings, Earlier::Replace);
  for (const std::string& file : made)
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "e" / file)) << file;
  EXPECT_EQ(read_file(folder / "e/notes.txt"), "mine");

  std::filesystem::create_directory(folder / "f");
  test::write_file(folder / "f/table.csv", "mine");
  const TrialStore first(folder / "f", kSettings, Earlier::Replace);
  EXPECT_EQ(read_file(folder / "f/table.csv"), "mine") << "there was no run";
}

TEST(TrialStore, DamagedSettingsAreNotToBeRemovedByHand) {
  const TempDir folder;
  TrialStore(folder / "e", kSettings, Earlier::Refuse).save("trial_01", {{"error", 0.1}}, {});
  test::write_file(folder / "e/settings.json", "{\"seed\": ");
  const std::string message =
      message_of<DataError>([&] { TrialStore(folder / "e", kSettings, Earlier::Resume); });
  EXPECT_NE(message.find("settings.json"), std::string::npos) << message;
  EXPECT_NE(message.find("take another --out, or --force"), std::string::npos) << message;
  EXPECT_EQ(message.find("remove it"), std::string::npos) << message;
}

}  // namespace
}  // namespace giga::experiments
