// Files that become shorter while they are mapped: what is read there is zeros, and is found out.
#include "data/lost_pages.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "data/byte_source.hpp"
#include "data/csv_origin.hpp"
#include "data/file_state.hpp"
#include "data/libsvm.hpp"
#include "giga/base/random.hpp"
#include "giga/base/text.hpp"
#include "giga/data/mapped_file.hpp"
#include "giga/data/read_share.hpp"
#include "giga/data/unchanged.hpp"
#include "tables.hpp"

namespace giga {
namespace {

namespace fs = std::filesystem;
using namespace test;

const auto kPage = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
constexpr const char* kLost = ": became shorter or unreadable while it was read; run again";
constexpr const char* kWritten = ": was written to while it was read; run again once it is whole";

std::string text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

class LostPages : public ::testing::Test {
 protected:
  LostPages() { outlive_lost_pages(); }

  fs::path write(const std::string& name, const std::string& content) {
    write_file(folder_ / name, content);
    return folder_ / name;
  }

  // As messages begin with it.
  static std::string lost(const fs::path& path) { return path.string() + kLost; }
  template <typename Action>
  static std::string failure(const Action& action) {
    return message_of<IoError>(action);
  }

  TempDir folder_;
};

TEST_F(LostPages, AreZerosAndAreTold) {
  const std::string content(4 * kPage + 10, 'x');
  const fs::path path = write("a", content);
  const FileStates before(std::vector<fs::path>{path});
  {
    const MappedFile file = MappedFile::open(path);
    EXPECT_EQ(text_of(file), content);
    EXPECT_NO_THROW(file.require_unchanged());
    fs::resize_file(path, kPage);
    // The pages that were read are gone from memory too.
    EXPECT_EQ(text_of(file), std::string(kPage, 'x') + std::string(3 * kPage + 10, '\0'));
    EXPECT_EQ(failure([&] { file.require_unchanged(); }), lost(path));
    EXPECT_EQ(failure([&] { file.require_whole(); }), lost(path));
    file.release(0, content.size());
    EXPECT_EQ(text_of(file), std::string(kPage, 'x') + std::string(3 * kPage + 10, '\0'));
    // What was read before the file was whole again stays lost.
    write_file(path, content);
    EXPECT_EQ(failure([&] { file.require_whole(); }), lost(path));
  }
  EXPECT_EQ(failure([&] { before.require_unchanged(); }), lost(path)) << "though it is no longer mapped";
  const MappedFile again = MappedFile::open(path);
  EXPECT_EQ(text_of(again), content);
  EXPECT_NO_THROW(again.require_unchanged()) << "it was lost before it was opened";
}

TEST_F(LostPages, NobodyReadsAreToldByTheSizeAlone) {
  const fs::path path = write("a", std::string(4 * kPage, 'x'));
  const MappedFile file = MappedFile::open(path);
  fs::resize_file(path, kPage);
  EXPECT_EQ(failure([&] { file.require_unchanged(); }), path.string() + kWritten);
  EXPECT_EQ(failure([&] { file.require_whole(); }), lost(path));
  fs::resize_file(path, 5 * kPage);
  EXPECT_NO_THROW(file.require_whole()) << "a file may grow";
}

TEST_F(LostPages, OfOneOfManyFilesAreToldOfThatOne) {
  constexpr std::size_t kFiles = 300;
  std::vector<MappedFile> files;
  for (std::size_t k = 0; k < kFiles; ++k)
    files.push_back(MappedFile::open(write("f" + std::to_string(k), std::string(2 * kPage, 'x'))));
  const auto counted = [&] {
    return std::ranges::count_if(
        files, [](const MappedFile& file) { return text_of(file) == std::string(2 * kPage, 'x'); });
  };
  for (const std::size_t k : {std::size_t{0}, kFiles / 2, kFiles - 1}) {
    fs::resize_file(files[k].path(), kPage);
    (void)counted();
    EXPECT_EQ(failure([&] { files[k].require_unchanged(); }), lost(files[k].path()));
  }
  EXPECT_EQ(counted(), kFiles - 3);
  for (std::size_t k = 1; k < kFiles / 2; ++k) EXPECT_NO_THROW(files[k].require_unchanged()) << k;
}

TEST_F(LostPages, MayBeMetBySeveralThreadsAtOnce) {
  constexpr Index kPages = 400;
  const fs::path path = write("a", std::string(static_cast<std::size_t>(kPages) * kPage, 'x'));
  const MappedFile file = MappedFile::open(path);
  fs::resize_file(path, kPage);
  std::atomic<Index> zeros = 0;
  const Threads threads(4);
  threads.for_each(kPages, [&](Index i) {
    const std::byte first = file.bytes()[static_cast<std::size_t>(kPages - 1 - i) * kPage];
    zeros += first == std::byte{0} ? 1 : 0;
  });
  EXPECT_EQ(zeros, kPages - 1);
  EXPECT_EQ(failure([&] { file.require_unchanged(); }), lost(path));
}

// Reads a page that is not there, of a file that no MappedFile has.
void read_beyond(const fs::path& path) {
  write_file(path, std::string(2 * kPage, 'x'));
  const MappedFile other = MappedFile::open(path);
  const int file = ::open(path.c_str(), O_RDONLY);
  const auto* bytes =
      static_cast<const volatile char*>(::mmap(nullptr, 2 * kPage, PROT_READ, MAP_PRIVATE, file, 0));
  fs::resize_file(path, kPage);
  (void)bytes[kPage];
}

// Without the handler that a sanitizer sets.
void begin_without_handler() {
  (void)::signal(SIGBUS, SIG_DFL);
  outlive_lost_pages();
}

TEST(LostPagesHandlerDeathTest, OfOthersEndTheProcessAsBefore) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto by_access = [] {
    begin_without_handler();
    const TempDir folder;
    read_beyond(folder / "a");
  };
  const auto by_call = [] {
    begin_without_handler();
    (void)::raise(SIGBUS);
  };
  EXPECT_EXIT(by_access(), ::testing::KilledBySignal(SIGBUS), "");
  EXPECT_EXIT(by_call(), ::testing::KilledBySignal(SIGBUS), "");
}

TEST(LostPagesHandlerDeathTest, OfOthersGoToTheHandlerBefore) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto with_handler = [] {
    struct sigaction mine {};
    mine.sa_handler = [](int) { ::_exit(3); };
    ::sigaction(SIGBUS, &mine, nullptr);
    outlive_lost_pages();
    const TempDir folder;
    read_beyond(folder / "a");
  };
  EXPECT_EXIT(with_handler(), ::testing::ExitedWithCode(3), "");
}

// A library that is loaded later takes the signal, and gets it where no file of ours is concerned.
TEST(LostPagesHandlerDeathTest, AreOutlivedAgainAfterAnotherHandler) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto with_handler = [] {
    outlive_lost_pages();
    struct sigaction mine {};
    mine.sa_handler = [](int) { ::_exit(3); };
    ::sigaction(SIGBUS, &mine, nullptr);
    const TempDir folder;
    write_file(folder / "a", std::string(2 * kPage, 'x'));
    const MappedFile file = MappedFile::open(folder / "a");
    fs::resize_file(folder / "a", kPage);
    for (int time = 0; time < 2; ++time) outlive_lost_pages();
    if (text_of(file).back() == '\0') std::cerr << "outlived" << std::endl;
    read_beyond(folder / "b");
  };
  EXPECT_EXIT(with_handler(), ::testing::ExitedWithCode(3), "outlived");
}

struct sigaction g_found {};

// As the handlers of UCX and of Python's faulthandler, which have told what they know.
void hand_back(int signal) {
  ::sigaction(signal, &g_found, nullptr);
  (void)::raise(signal);
}

TEST(LostPagesHandlerDeathTest, OfOthersAreNotHandedBackForEver) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto with_handler = [] {
    begin_without_handler();
    struct sigaction theirs {};
    theirs.sa_handler = hand_back;
    ::sigaction(SIGBUS, &theirs, &g_found);
    outlive_lost_pages();
    ::alarm(30);
    const TempDir folder;
    read_beyond(folder / "a");
  };
  EXPECT_EXIT(with_handler(), ::testing::KilledBySignal(SIGBUS), "");
}

// The end of a row is not to be found in 64 GB of zeros.
TEST_F(LostPages, OfAHugeTextAreNotReadFromTheirBeginning) {
  const fs::path path = write("a", "1,x\n2,y\n");
  fs::resize_file(path, std::uintmax_t{1} << 36);
  const auto file = std::make_shared<const MappedFile>(MappedFile::open(path));
  const std::string_view text(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  const auto origin = mapped_origin({.file = file, .text = text, .checkpoints = {0}});
  const std::vector<Index> rows = {0, 1, 2, 3}, cols = {1};
  const std::vector<std::vector<std::string>> expected = {{"x"}, {"y"}, {""}, {""}};
  EXPECT_EQ(origin->texts(rows, cols), expected);
  fs::resize_file(path, kPage);
  EXPECT_EQ(failure([&] { (void)origin->texts(rows, cols); }), lost(path));
}

// Tables of several megabytes, so that they are read in several pieces: numbers, and a text where the format
// has any.
class CutTables : public LostPages {
 protected:
  CutTables() {
    constexpr Index kRows = 60'000, kCols = 6;
    std::string csv = "word,x1,x2,x3,x4,x5,y\n", svm;
    std::vector<double> numbers, x, y;
    Stream random = stream(1, "cut tables");
    for (Index n = 0; n < kRows; ++n) {
      csv += n % 3 == 0 ? "apple," : "quince,";
      svm += n % 2 == 0 ? "1" : "0";
      for (Index d = 1; d < kCols; ++d) {
        const double value = random.normal();
        csv += shortest(value) + ",";
        svm += " " + std::to_string(d) + ":" + shortest(value);
        numbers.push_back(value);
        x.push_back(value);
      }
      csv += n % 2 == 0 ? "1\n" : "0\n";
      svm += "\n";
      numbers.push_back(n % 2 == 0 ? 1 : 0);
      y.push_back(numbers.back());
    }
    // No byte of the last page is beyond the file: what is read past it is not there.
    csv += std::string(kPage - csv.size() % kPage, '\n');
    std::string old = csv;
    std::ranges::replace(old, '\n', '\r');
    const std::string rows = std::to_string(kRows);
    tables_ = {{"t.csv", csv},
               {"t.csv.gz", gzipped(csv)},
               {"old.csv", old},
               {"t.svm", svm},
               {"t.npy", npy_of(numbers, "(" + rows + ", 6)")},
               {"t.npz", zip_of({{"X.npy", npy_of(x, "(" + rows + ", 5)"), false},
                                 {"y.npy", npy_of(y, "(" + rows + ",)"), false}})}};
  }

  // Cuts a file at the first call.
  static Observer cutting(const fs::path& path) {
    return [path, done = std::make_shared<std::atomic<bool>>(false)](const StageProgress&) {
      if (!done->exchange(true)) fs::resize_file(path, 2 * kPage);
      return Answer::Continue;
    };
  }

  // What is not read again is told by the size alone.
  static void expect_told(const fs::path& path, const std::string& message) {
    EXPECT_TRUE(message == lost(path) || message == path.string() + kWritten) << message;
  }

  std::vector<std::pair<std::string, std::string>> tables_;
};

TEST_F(CutTables, AreToldOfWhileTheyAreRead) {
  for (const auto& [name, content] : tables_) {
    for (const Executor* executor : {&one_thread(), &two_threads()}) {
      const fs::path path = write(name, content);
      expect_told(path, failure([&] { (void)read_dataset(path, {}, *executor, cutting(path)); }));
    }
  }
}

TEST_F(CutTables, AreToldOfWhileAShareIsRead) {
  for (const auto& [name, content] : tables_) {
    const fs::path path = write(name, content);
    const ReadOptions options;
    ShareReader reader(path, options, {.index = 0, .count = 2}, one_thread(), cutting(path));
    expect_told(path, failure([&] {
                  while (!reader.agrees(reader.read())) continue;
                }));
  }
}

// Who reads some bytes never comes to the checksum.
TEST_F(CutTables, AreToldOfBeforeTheChecksumOfGzip) {
  const fs::path path = write("t.csv.gz", gzipped(tables_[0].second));
  for (const std::uintmax_t left : {std::uintmax_t{kPage}, fs::file_size(path) - kPage}) {
    write_file(path, gzipped(tables_[0].second));
    const auto source = gzip_source(std::make_shared<const MappedFile>(MappedFile::open(path)));
    fs::resize_file(path, left);
    std::string bytes(1000, '\0');
    EXPECT_EQ(failure([&] { (void)source->read(bytes.data(), bytes.size()); }), lost(path));
  }
}

// A chunk for every line: none of them searches the rest of the file for the end of its line.
TEST_F(CutTables, OfManyChunksAreToldOfSoon) {
  const auto table = std::ranges::find(tables_, "t.svm", &std::pair<std::string, std::string>::first);
  const fs::path path = write("t.svm", table->second);
  const auto start = std::chrono::steady_clock::now();
  const std::string message = failure([&] {
    (void)of_unchanged(FileStates(std::vector<fs::path>{path}), [&] {
      return read_libsvm({&path, 1}, "t.svm", {}, two_threads(), cutting(path), 1);
    });
  });
  expect_told(path, message);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

// Columns that are not used are read again for the rows of a coreset.
TEST_F(CutTables, AreToldOfWhenTheirTextIsReadAgain) {
  ReadOptions options;
  options.response = "y";
  options.features = std::vector<std::string>{"x1", "x2"};
  for (const auto& [name, content] : tables_) {
    const fs::path path = write(name, content);
    const Dataset data = read_dataset(path, options, two_threads());
    const std::vector<Index> some = {0, data.num_rows() - 1};
    EXPECT_EQ(data.cells(some)[1].size(), data.columns().size());
    fs::resize_file(path, 2 * kPage);
    EXPECT_EQ(failure([&] { (void)data.cells(some); }), lost(path)) << name;
    EXPECT_NO_THROW(data.require_unchanged()) << "nothing else is read from it";
  }
}

TEST_F(LostPages, AreToldBeforeWhatTheyMadeFail) {
  const fs::path path = write("a", std::string(2 * kPage, 'x'));
  const MappedFile file = MappedFile::open(path);
  EXPECT_EQ(of_unchanged(file, [] { return 17; }), 17);
  const auto failing = [] { throw DataError("row 5 is zero"); };
  EXPECT_THROW(of_unchanged(file, failing), DataError);
  EXPECT_THROW(of_unchanged(file, one_thread(), failing), DataError);
  fs::resize_file(path, kPage);
  (void)text_of(file);
  EXPECT_EQ(failure([&] { of_unchanged(file, failing); }), lost(path));
  EXPECT_EQ(failure([&] { of_unchanged(file, one_thread(), failing); }), lost(path));
  EXPECT_EQ(failure([&] { (void)of_unchanged(file, [] { return 17; }); }), lost(path));
  EXPECT_EQ(failure([&] { (void)of_unchanged(file, one_thread(), [] { return 17; }); }), lost(path));
  EXPECT_THROW(of_unchanged(file, [] { throw Stopped(); }), Stopped) << "that has no result to be wrong";
}

}  // namespace
}  // namespace giga
