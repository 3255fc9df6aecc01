// Runs a fuzz target on files: replay FILE|FOLDER... For compilers without libFuzzer, and for tests.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "fuzz/support/target.hpp"

namespace {

namespace fs = std::filesystem;

// Absolute, since a target may go to a folder of its own.
std::vector<fs::path> files_in(int argc, char** argv) {
  std::vector<fs::path> files;
  for (int i = 1; i < argc; ++i) {
    if (!fs::is_directory(argv[i])) {
      files.push_back(fs::absolute(argv[i]));
      continue;
    }
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(argv[i]))
      if (entry.is_regular_file()) files.push_back(fs::absolute(entry.path()));
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

// Each input is named before it is run: the last name is that of the one that fails.
int main(int argc, char** argv) {
  const std::vector<fs::path> files = files_in(argc, argv);
  for (const fs::path& path : files) {
    std::ifstream in(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (!in) {
      std::fprintf(stderr, "replay: cannot read %s\n", path.c_str());
      return 1;
    }
    std::printf("%s\n", path.c_str());
    std::fflush(stdout);
    // Exactly the size of the input, for the address sanitizer.
    const auto bytes = std::make_unique<std::uint8_t[]>(text.size());
    std::copy(text.begin(), text.end(), bytes.get());
    (void)LLVMFuzzerTestOneInput(bytes.get(), text.size());
  }
  std::printf("%zu inputs\n", files.size());
  return files.empty() ? 1 : 0;
}
