// Folders that giga fit must not spoil, stopped runs that were damaged, and reports of folders that were.
#include <algorithm>
#include <functional>

#include "cli/fit_input.hpp"

namespace giga::test {
namespace {

namespace fs = std::filesystem;

using nlohmann::json;

class FitFolder : public FitInput {
 protected:
  FitFolder() { write_file(folder_ / "t.csv", usual_table()); }

  [[nodiscard]] Outcome fit_to(const std::string& file, const std::string& out,
                               const Words& more = {}) const {
    return giga(joined_words(joined_words({"fit", file, "--out", out}, kQuick), joined_words(kLabels, more)));
  }
};

TEST_F(FitFolder, OfTheDataGetsTheResultsBesideThem) {
  const std::string data = read_file(folder_ / "t.csv");
  const Outcome outcome = fit_to("t.csv", ".");
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  Files files = files_in("");
  EXPECT_EQ(files["t.csv"], data);
  files.erase("t.csv");
  expect_complete(files);
}

TEST_F(FitFolder, DataAreNeverReplacedByTheirOwnResults) {
  const std::string data = read_file(folder_ / "t.csv");
  for (const char* name : {"coreset.csv", "summary.csv", "weights.csv", "draws_1.csv", "draws_99.csv"}) {
    SCOPED_TRACE(name);
    fs::create_directory(folder_ / "out");
    write_file(folder_ / (std::string("out/") + name), data);
    for (const char* out : {"out", "out/", "./out/."})
      expect_refusal(fit_to(std::string("out/") + name, out, {"--force"}), 64,
                     {"--out would replace the input out/", name});
    EXPECT_EQ(files_in("out"), (Files{{name, data}}));
    fs::remove_all(folder_ / "out");
  }
}

TEST_F(FitFolder, FilesOfTheUserAreReplacedOnlyByForce) {
  fs::create_directory(folder_ / "out");
  for (const char* name : {"coreset.csv", "coreset.json", "report.html", "weights.csv", "summary.csv",
                           "run.json", "draws_3.csv", "certificate.json"}) {
    SCOPED_TRACE(name);
    const std::string path = std::string("out/") + name;
    write_file(folder_ / path, "mine");
    expect_refusal(fit_to("t.csv", "out"), 73, {"--force"});
    EXPECT_EQ(files_in("out"), (Files{{name, "mine"}}));
    fs::remove(folder_ / path);
  }
  write_file(folder_ / "out/coreset.csv", "mine");
  write_file(folder_ / "out/notes.txt", "mine too");
  EXPECT_EQ(fit_to("t.csv", "out", {"--force"}).code, 0);
  Files files = files_in("out");
  EXPECT_EQ(files["notes.txt"], "mine too");
  files.erase("notes.txt");
  expect_complete(files);
}

TEST_F(FitFolder, FolderInPlaceOfAResultIsRefusedBeforeTheWork) {
  for (const char* name : {"coreset.csv", "report.html", "draws_1.csv"}) {
    fs::create_directories(folder_ / (std::string("out/") + name));
    expect_refusal(fit_to("t.csv", "out", {"--force"}), 73, {name, "is a folder"});
    fs::remove_all(folder_ / "out");
  }
}

TEST_F(FitFolder, SampleSpoilsNoneEither) {
  const auto sample_to = [this](const std::string& file, const Words& more) {
    return giga(
        joined_words(joined_words({"sample", file, "--out", "out"}, kQuick), joined_words(kLabels, more)));
  };
  fs::create_directory(folder_ / "out");
  write_file(folder_ / "out/report.html", "mine");
  expect_refusal(sample_to("t.csv", {}), 73, {"out/report.html exists; use --force"});
  EXPECT_EQ(files_in("out"), (Files{{"report.html", "mine"}}));
  fs::rename(folder_ / "t.csv", folder_ / "out/draws_7.csv");
  expect_refusal(sample_to("out/draws_7.csv", {"--force"}), 64,
                 {"--out would replace the input out/draws_7.csv"});
}

// A folder `partial` is where runs that were stopped are kept, unless it is somebody's own.
TEST_F(FitFolder, PartialThatIsTheUsersIsNeverTouched) {
  fs::create_directories(folder_ / "out/partial");
  write_file(folder_ / "out/partial/thesis.txt", "years of work");
  const Files before = files_in("out");
  for (const Words& more : {Words{}, Words{"--force"}})
    expect_refusal(fit_to("t.csv", "out", more), 73, {"out/partial: is not of a stopped run"});
  EXPECT_EQ(files_in("out"), before);
  write_file(folder_ / "out/partial/request.json", "{}");
  expect_refusal(fit_to("t.csv", "out", {"--force"}), 73, {"out/partial: is not of a stopped run"});
  EXPECT_EQ(read_file(folder_ / "out/partial/thesis.txt"), "years of work");

  fs::remove_all(folder_ / "out/partial");
  write_file(folder_ / "out/partial", "a file");
  expect_refusal(fit_to("t.csv", "out"), 73, {"out/partial: is not of a stopped run"});
  EXPECT_EQ(files_in("out"), (Files{{"partial", "a file"}}));

  fs::remove(folder_ / "out/partial");
  fs::create_directory(folder_ / "elsewhere");
  write_file(folder_ / "elsewhere/state.json", "mine");
  fs::create_directory_symlink(folder_ / "elsewhere", folder_ / "out/partial");
  expect_refusal(fit_to("t.csv", "out"), 73, {"out/partial: is not of a stopped run"});
  EXPECT_EQ(read_file(folder_ / "elsewhere/state.json"), "mine");
}

TEST_F(FitFolder, ResumeTakesNothingBesideAFolderOfAStoppedRun) {
  ASSERT_EQ(fit_to("t.csv", "out").code, 0);
  const Files before = files_in("out");
  expect_refusal(giga({"fit", "t.csv", "--resume", "out"}), 64, {"leave out 't.csv'"});
  expect_refusal(giga({"fit", "--resume", "out", "--size", "7"}), 64, {"--size cannot be given"});
  expect_refusal(giga({"fit", "--resume", "out", "--force"}), 64, {"--force cannot be given"});
  expect_refusal(giga({"fit", "--resume", "none"}), 66, {"none: no such folder"});
  expect_refusal(giga({"fit", "--resume", "t.csv"}), 66, {"t.csv: no such folder"});
  fs::create_directory(folder_ / "empty");
  expect_refusal(giga({"fit", "--resume", "empty"}), 66, {"empty: has no stopped run"});
  const Outcome complete = giga({"fit", "--resume", "out"});
  EXPECT_EQ(complete.code, 0);
  EXPECT_EQ(complete.error, "giga: note: the run in out is complete\n");
  EXPECT_EQ(files_in("out"), before);
}

TEST_F(FitFolder, ResumeOfAFolderOfSampleIsRefused) {
  ASSERT_EQ(giga(joined_words({"sample", "t.csv", "--out", "draws"}, joined_words(kQuick, kLabels))).code, 0);
  const Files before = files_in("draws");
  expect_refusal(giga({"fit", "--resume", "draws"}), 66, {"draws: has no stopped run"});
  EXPECT_EQ(files_in("draws"), before);
}

class StoppedFit : public FitFolder {
 protected:
  /// A run of t.csv, or of `file`, whose report did not fit on the disk.
  void stop(const std::string& file = "t.csv") const {
    const Outcome outcome = fit(file, joined_words(kLabels, {"--no-times"}), with_file_limit(100'000));
    ASSERT_EQ(outcome.code, 74) << outcome.error;
    ASSERT_EQ(files_in("out").size(), 4U) << "request, state and two chains";
  }

  [[nodiscard]] Outcome resume() const { return giga({"fit", "--resume", "out", "--quiet"}); }

  void edit(const std::string& name, const std::function<std::string(std::string)>& change) const {
    const std::string before = read_file(folder_ / name), after = change(before);
    ASSERT_NE(after, before);
    write_file(folder_ / name, after);
  }
};

std::string emptied(const std::string&) {
  return "";
}

std::string halved(const std::string& text) {
  return text.substr(0, text.size() / 2);
}

// One digit of a number in the middle.
std::string misread(std::string text) {
  const auto digit = std::find_if(text.begin() + static_cast<std::ptrdiff_t>(text.size() / 2), text.end(),
                                  [](char c) { return c >= '1' && c <= '8'; });
  if (digit != text.end()) ++*digit;
  return text;
}

TEST_F(StoppedFit, DamageIsFoundAndNothingIsWritten) {
  ASSERT_NO_FATAL_FAILURE(stop());
  const Files whole = files_in("out");
  for (const char* name : {"out/partial/request.json", "out/partial/state.json", "out/partial/chain_1_1.csv",
                           "out/partial/chain_1_2.csv"}) {
    const std::string before = read_file(folder_ / name);
    for (const auto& damage : {emptied, halved, +[](const std::string&) { return std::string("[]\n"); },
                               +[](const std::string& text) { return misread(text); }}) {
      SCOPED_TRACE(name);
      edit(name, damage);
      const Files damaged = files_in("out");
      expect_refusal(resume(), 65, {name, "is damaged", "start anew with --force"});
      EXPECT_EQ(files_in("out"), damaged);
      write_file(folder_ / name, before);
    }
  }
  fs::remove(folder_ / "out/partial/chain_1_2.csv");
  expect_refusal(resume(), 65, {"chain_1_2.csv: is damaged (it is gone)"});
  write_file(folder_ / "out/partial/chain_1_2.csv", whole.at("partial/chain_1_2.csv"));

  EXPECT_EQ(resume().code, 0);
  const Files resumed = files_in("out");
  fs::remove_all(folder_ / "out");
  ASSERT_EQ(fit("t.csv", joined_words(kLabels, {"--no-times"})).code, 0);
  EXPECT_EQ(resumed, files_in("out"));
}

TEST_F(StoppedFit, StartsAnewByForceWhateverTheDamage) {
  ASSERT_NO_FATAL_FAILURE(stop());
  edit("out/partial/request.json", emptied);
  EXPECT_EQ(fit("t.csv", joined_words(kLabels, {"--force"})).code, 0);
  expect_complete(files_in("out"));
}

TEST_F(StoppedFit, DataThatChangedOrVanishedAreNotTakenForTheOldOnes) {
  ASSERT_NO_FATAL_FAILURE(stop());
  const Files before = files_in("out");
  edit("t.csv", [](const std::string& text) { return text + "0.5,0.5,1\n"; });
  expect_refusal(resume(), 65, {"out: the data have changed since the run was stopped", "--force"});
  write_file(folder_ / "t.csv", "x1,x2,y\n1,NA,0\n");
  expect_refusal(resume(), 65, {"t.csv: ", "1 missing value"});
  fs::remove(folder_ / "t.csv");
  expect_refusal(resume(), 66, {"t.csv: no such file"});
  fs::create_directory(folder_ / "t.csv");
  expect_refusal(resume(), 66, {"t.csv: is a directory"});
  EXPECT_EQ(files_in("out"), before);
  fs::remove(folder_ / "t.csv");
  write_file(folder_ / "t.csv", usual_table());
  EXPECT_EQ(resume().code, 0);
  expect_complete(files_in("out"));
}

TEST_F(StoppedFit, GoesOnWithAPathThatIsNotUtf8) {
  const std::string name = "caf\xE9 \xC3\xA9.csv";
  write_file(folder_ / name, usual_table());
  ASSERT_NO_FATAL_FAILURE(stop(name));
  const Outcome outcome = resume();
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  expect_complete(files_in("out"));
}

TEST_F(StoppedFit, CommandToGoOnWithCanBeCopied) {
  const Words words = joined_words({"fit", "t.csv", "--out", "my run's"}, joined_words(kQuick, kLabels));
  const Outcome outcome = giga(words, with_file_limit(100'000));
  EXPECT_EQ(outcome.code, 74);
  expect_words(outcome.error, {"go on with: giga fit --resume 'my run'\\''s'\n"});
  expect_refusal(giga(words), 73, {"go on with giga fit --resume 'my run'\\''s', or use --force"});
  EXPECT_EQ(giga({"fit", "--resume", "my run's"}).code, 0);
  expect_complete(files_in("my run's"));
}

TEST_F(StoppedFit, AnotherFailureKeepsWhatWasDone) {
  ASSERT_NO_FATAL_FAILURE(stop());
  const Files before = files_in("out");
  const Outcome again = giga({"fit", "--resume", "out"}, with_file_limit(100'000));
  EXPECT_EQ(again.code, 74);
  expect_words(again.error, {"out/report.html: cannot write", "go on with: giga fit --resume out"});
  EXPECT_EQ(files_in("out"), before);
}

class DamagedRun : public FitFolder {
 protected:
  DamagedRun() {
    EXPECT_EQ(fit_to("t.csv", "out").code, 0);
    write_file(folder_ / "out/report.html", "the old page");
  }

  /// giga report of the folder with one file changed; nothing else changes.
  void refused_with(const std::string& name, const std::function<std::string(const std::string&)>& damage,
                    const Words& words, int code = 65) const {
    SCOPED_TRACE(name);
    const std::string path = "out/" + name, before = read_file(folder_ / path);
    write_file(folder_ / path, damage(before));
    const Files files = files_in("out");
    expect_refusal(giga({"report", "out", "--force"}), code, words);
    EXPECT_EQ(files_in("out"), files);
    write_file(folder_ / path, before);
  }

  void refused_record(const std::function<void(json&)>& change) const {
    const auto damage = [&change](const std::string& text) {
      json record = json::parse(text);
      change(record);
      return record.dump();
    };
    refused_with("run.json", damage, {"out/run.json: is damaged, or of another version"});
  }
};

TEST_F(DamagedRun, RecordsThatAreNone) {
  for (const auto& damage : {halved, +[](const std::string&) { return std::string("[]\n"); },
                             +[](const std::string&) { return std::string("null"); },
                             +[](const std::string&) { return std::string("\xFF\xFE"); }})
    refused_with("run.json", damage, {"out/run.json: is damaged"});
  refused_with("run.json", emptied, {"out/run.json: file is empty"});
  const auto build = [](const std::string&) { return std::string("{\"command\": \"build\"}"); };
  refused_with("run.json", build, {"out/run.json: is not a record of giga fit or giga sample"});
}

TEST_F(DamagedRun, RecordsWhosePartsDoNotFitEachOther) {
  refused_record([](json& record) { record["D"] = -1; });
  refused_record([](json& record) { record["D"] = 2; });
  refused_record([](json& record) { record["D"] = 1e300; });
  refused_record([](json& record) { record["standardisation"]["features"].erase(0); });
  refused_record([](json& record) { record["standardisation"]["mean"].push_back(1); });
  refused_record([](json& record) { record["laplace"].erase(0); });
  refused_record([](json& record) { record["coreset"]["weights"].erase(0); });
  refused_record([](json& record) { record["certificate"]["doubt"] = "<script>"; });
  refused_record([](json& record) { record["termination"] = "boredom"; });
  refused_record([](json& record) { record["seed"] = "one"; });
  refused_record([](json& record) { record.erase("trace"); });
}

TEST_F(DamagedRun, WeightsOfTheDraws) {
  const std::string path = "out/weights.csv: ";
  refused_with("weights.csv", emptied, {path + "file is empty"});
  refused_with("weights.csv", [](const std::string&) { return "1\n"; }, {path + "is not a file of weights"});
  refused_with("weights.csv", halved, {path});
  const auto without_last = [](const std::string& text) { return text.substr(0, text.rfind("2,200,")); };
  refused_with("weights.csv", without_last, {path + "has 399 weights for 400 draws"});
  refused_with("weights.csv", [](const std::string& text) { return text + "2,201,-1\n"; },
               {path + "'2,201,-1' is not a weight"});
  refused_with("weights.csv", [](const std::string& text) { return text + "2,201,nan\n"; },
               {path + "'2,201,nan' is not a weight"});
}

TEST_F(DamagedRun, FilesOfDraws) {
  refused_with("draws_2.csv", emptied, {"out/draws_2.csv: "});
  refused_with("draws_2.csv", halved, {"out/draws_2.csv: "});
  refused_with("draws_2.csv", [](const std::string&) { return "a,b\n1,2\n"; }, {"out/draws_2.csv: "});
  fs::rename(folder_ / "out/draws_2.csv", folder_ / "out/draws_3.csv");
  fs::copy_file(folder_ / "out/draws_3.csv", folder_ / "out/draws_2.csv");
  expect_refusal(giga({"report", "out", "--force"}), 65, {"out/draws_3.csv: is not a file of the run"});
  fs::remove(folder_ / "out/draws_3.csv");
  fs::remove(folder_ / "out/draws_2.csv");
  expect_refusal(giga({"report", "out", "--force"}), 65, {"out: has 1 files of draws", "speaks of 2"});
  EXPECT_EQ(read_file(folder_ / "out/report.html"), "the old page");
}

TEST_F(DamagedRun, PlacesThatAreNotThereOrTaken) {
  const Files before = files_in("out");
  expect_refusal(giga({"report"}), 64, {"no input"});
  expect_refusal(giga({"report", "none"}), 66, {"none: no such folder"});
  expect_refusal(giga({"report", "t.csv"}), 66, {"t.csv: no such folder"});
  expect_refusal(giga({"report", "."}), 66, {"run.json: no such file"});
  expect_refusal(giga({"report", "out"}), 73, {"out/report.html exists; use --force"});
  expect_refusal(giga({"report", "out", "--out", "no/such.html"}), 73, {"folder no does not exist"});
  expect_refusal(giga({"report", "out", "--out", "new.html"}, with_file_limit(10'000)), 74,
                 {"new.html: cannot write"});
  EXPECT_EQ(files_in("out"), before);
  EXPECT_EQ(folder_.size(), 2);
}

}  // namespace
}  // namespace giga::test
