// Whole or not at all: what is on disk after success, failure and abandonment.
#include "giga/data/output_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "../support/temp_dir.hpp"
#include "giga/base/error.hpp"

namespace giga {
namespace {

using test::message_of;
using test::read_file;
using test::TempDir;
using test::write_file;

void write_whole(const std::filesystem::path& path, std::string_view content, bool overwrite) {
  OutputFile out(path, overwrite);
  out.write(content);
  out.commit();
}

std::string refusal(const std::filesystem::path& path, bool overwrite = false) {
  return message_of<CannotCreate>([&] { OutputFile out(path, overwrite); });
}

unsigned mode_of(const std::filesystem::path& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return status.st_mode & 0777;
}

// Files cannot grow beyond `bytes` while this lives: a full disk in miniature.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limit{bytes, old_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit old_{};
  void (*handler_)(int);
};

TEST(OutputFile, AppearsOnCommitWithAllItsBytesAndNothingBeside) {
  const TempDir dir;
  std::string content;
  {
    OutputFile out(dir / "a", false);
    for (int i = 0; i < 50000; ++i) {
      const std::string piece = std::to_string(i) + "\n";
      out.write(piece);
      content += piece;
    }
    const std::string large(300000, 'x');
    out.write(large);
    out.write("");
    out.write("end");
    content += large + "end";
    EXPECT_FALSE(std::filesystem::exists(dir / "a"));
    out.commit();
    EXPECT_EQ(out.target(), dir / "a");
  }
  EXPECT_EQ(read_file(dir / "a"), content);
  EXPECT_EQ(dir.size(), 1);
}

TEST(OutputFile, LeavesNothingWhenAbandoned) {
  const TempDir dir;
  {
    OutputFile out(dir / "a", false);
    out.write(std::string(200000, 'x'));
    EXPECT_EQ(dir.size(), 1);
  }
  EXPECT_EQ(dir.size(), 0);
}

TEST(OutputFile, DoesNotReplaceWithoutBeingAsked) {
  const TempDir dir;
  write_file(dir / "a", "old");
  EXPECT_EQ(refusal(dir / "a"), (dir / "a").string() + " exists; use `force` to replace it");
  EXPECT_EQ(read_file(dir / "a"), "old");
  write_whole(dir / "a", "new", true);
  EXPECT_EQ(read_file(dir / "a"), "new");
  EXPECT_EQ(dir.size(), 1);
}

TEST(OutputFile, DoesNotReplaceATargetThatCameMeanwhile) {
  const TempDir dir;
  {
    OutputFile out(dir / "a", false);
    out.write("late");
    write_file(dir / "a", "early");
    const std::string message = message_of<CannotCreate>([&] { out.commit(); });
    EXPECT_NE(message.find("exists; use `force`"), std::string::npos) << message;
    EXPECT_THROW(out.commit(), std::logic_error);
  }
  EXPECT_EQ(read_file(dir / "a"), "early");
  EXPECT_EQ(dir.size(), 1);
}

TEST(OutputFile, NamesWhatIsWrongWithTheFolder) {
  const TempDir dir;
  write_file(dir / "file", "x");
  EXPECT_NE(refusal(dir / "none/a").find("folder " + (dir / "none").string() + " does not exist"),
            std::string::npos);
  EXPECT_NE(refusal(dir / "file/a").find("is not a folder"), std::string::npos) << refusal(dir / "file/a");
  EXPECT_NE(refusal(dir.path(), true).find("is a folder"), std::string::npos);
  EXPECT_NE(refusal(dir / "sub/").find("names a folder"), std::string::npos);
  EXPECT_NE(refusal("").find("give a file name"), std::string::npos);
  EXPECT_EQ(dir.size(), 1);
}

TEST(OutputFile, SaysSoWhenTheFolderIsNotWritable) {
  const TempDir dir;
  ASSERT_EQ(::chmod(dir.path().c_str(), 0555), 0);
  // Root may write everywhere: be somebody else for the moment.
  const bool root = ::geteuid() == 0;
  if (root) {
    ASSERT_EQ(::seteuid(65534), 0);
  }
  const std::string message = refusal(dir / "a");
  if (root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  ::chmod(dir.path().c_str(), 0755);
  EXPECT_NE(message.find("is not writable"), std::string::npos) << message;
}

TEST(OutputFile, NamesTheTargetWhenTheDeviceIsFull) {
  const std::string message = message_of<IoError>([] { write_whole("/dev/full", "x", false); });
  EXPECT_EQ(message.find("/dev/full: cannot write: No space left on device"), 0U) << message;
  EXPECT_THROW(write_whole("/dev/full", std::string(1 << 20, 'x'), false), IoError);
}

TEST(OutputFile, KeepsTheOldOutputWhenTheDiskFillsUp) {
  const TempDir dir;
  write_file(dir / "a", "old");
  {
    const FileSizeLimit limit(100000);
    OutputFile out(dir / "a", true);
    const std::string message = message_of<IoError>([&] { out.write(std::string(200000, 'x')); });
    EXPECT_EQ(message.find((dir / "a").string() + ": cannot write"), 0U) << message;
    EXPECT_THROW(out.commit(), std::logic_error);
  }
  EXPECT_EQ(read_file(dir / "a"), "old");
  EXPECT_EQ(dir.size(), 1);
}

TEST(OutputFile, WritesStraightToDevicesAndPipes) {
  const TempDir dir;
  EXPECT_NO_THROW(write_whole("/dev/null", "x", false));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  std::string read;
  {
    const std::jthread reader([&] { read = read_file(dir / "pipe"); });
    write_whole(dir / "pipe", "through", false);
  }
  EXPECT_EQ(read, "through");
  EXPECT_TRUE(std::filesystem::is_fifo(dir / "pipe"));
}

TEST(OutputFile, ContinuesARedirectedDescriptorWhereItStands) {
  const TempDir dir;
  const int fd = ::open((dir / "log").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(::write(fd, "before ", 7), 7);
  write_whole("/dev/fd/" + std::to_string(fd), "after", false);
  ::close(fd);
  EXPECT_EQ(read_file(dir / "log"), "before after");
  EXPECT_NE(refusal("/dev/fd/9999").find("cannot open"), std::string::npos);
}

TEST(OutputFile, FollowsASymbolicLinkAndRefusesADanglingOne) {
  const TempDir dir;
  write_file(dir / "real", "old");
  std::filesystem::create_symlink("real", dir / "link");
  write_whole(dir / "link", "new", true);
  EXPECT_TRUE(std::filesystem::is_symlink(dir / "link"));
  EXPECT_EQ(read_file(dir / "real"), "new");
  std::filesystem::create_symlink("nowhere", dir / "dangling");
  EXPECT_NE(refusal(dir / "dangling").find("exists"), std::string::npos);
}

TEST(OutputFile, TakesItsModeFromTheUmaskOrTheFileItReplaces) {
  const TempDir dir;
  const mode_t old = ::umask(027);
  write_whole(dir / "a", "x", false);
  ::umask(old);
  EXPECT_EQ(mode_of(dir / "a"), 0640U);
  ASSERT_EQ(::chmod((dir / "a").c_str(), 0600), 0);
  write_whole(dir / "a", "y", true);
  EXPECT_EQ(mode_of(dir / "a"), 0600U);
}

TEST(OutputFile, TakesNoBytesAfterCommit) {
  const TempDir dir;
  OutputFile out(dir / "a", false);
  out.commit();
  EXPECT_THROW(out.write("x"), std::logic_error);
  EXPECT_THROW(out.commit(), std::logic_error);
  EXPECT_EQ(read_file(dir / "a"), "");
}

// Two files of which the second cannot take its place.
class OutputsTogether : public testing::Test {
 protected:
  OutputsTogether() {
    for (const char* name : {"one", "gone"}) write_file(folder_ / name, std::string("old ") + name);
  }

  void add(const std::string& name, bool force = true) {
    outputs_.push_back(std::make_unique<OutputFile>(folder_ / name, force));
    outputs_.back()->write("new " + name);
  }

  [[nodiscard]] std::map<std::string, std::string> found() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
      all[entry.path().filename()] = entry.is_directory() ? "a folder" : read_file(entry.path());
    return all;
  }

  TempDir folder_;
  std::vector<std::unique_ptr<OutputFile>> outputs_;
};

TEST_F(OutputsTogether, ReplaceAndRemoveWhatIsThere) {
  add("one");
  add("two");
  commit_together(outputs_, std::vector{folder_ / "gone", folder_ / "never there"});
  outputs_.clear();
  EXPECT_EQ(found(), (std::map<std::string, std::string>{{"one", "new one"}, {"two", "new two"}}));
}

TEST_F(OutputsTogether, AllIsAsItWasIfOneCannotTakeItsPlace) {
  const auto before = found();
  add("fresh");
  add("one");
  add("two", false);
  write_file(folder_ / "two", "somebody else's");
  EXPECT_THROW(commit_together(outputs_, std::vector{folder_ / "gone"}), CannotCreate);
  outputs_.clear();
  auto after = found();
  EXPECT_EQ(after["two"], "somebody else's");
  after.erase("two");
  EXPECT_EQ(after, before);
}

TEST_F(OutputsTogether, FoldersAreNeitherReplacedNorRemoved) {
  add("one");
  add("folder");
  std::filesystem::create_directory(folder_ / "folder");
  const auto refused = [&](const std::vector<std::filesystem::path>& removed) {
    EXPECT_THROW(commit_together(outputs_, removed), CannotCreate);
    outputs_.clear();
    EXPECT_EQ(found(), (std::map<std::string, std::string>{
                           {"one", "old one"}, {"gone", "old gone"}, {"folder", "a folder"}}));
  };
  refused({});
  add("one");
  refused({folder_ / "gone", folder_ / "folder"});
}

}  // namespace
}  // namespace giga
