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

TEST(TrialStore, KeepsWhatWasSaved) {
  const TempDir folder;
  const TrialStore store(folder / "e", kSettings, Earlier::Refuse);
  EXPECT_FALSE(store.has("trial_01"));
  store.save("trial_01", {{"error", 0.1}}, {{"seconds", 3}});
  EXPECT_TRUE(store.has("trial_01"));
  EXPECT_EQ(store.result("trial_01")["error"].get<double>(), 0.1);
  EXPECT_EQ(store.times("trial_01")["seconds"].get<int>(), 3);
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
  EXPECT_NE(message_of<DataError>([&] { (void)store.result("trial_01"); }).find("trial_01.json"),
            std::string::npos);
}

}  // namespace
}  // namespace giga::experiments
