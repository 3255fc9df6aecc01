// A locale with a decimal comma, made for a test.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "support/temp_dir.hpp"

namespace giga::test {

class GermanLocale {
 public:
  GermanLocale() {
    const std::string make =
        "localedef -i de_DE -f UTF-8 " + (folder_ / "de_DE.UTF-8").string() + " 2>/dev/null";
    made_ = std::system(make.c_str()) == 0 || std::filesystem::exists(folder_ / "de_DE.UTF-8");
  }

  /// Not everywhere can it be.
  [[nodiscard]] bool made() const { return made_; }
  /// Of a Launch.
  [[nodiscard]] std::vector<std::string> environment() const {
    return {"LC_ALL=de_DE.UTF-8", "LOCPATH=" + folder_.path().string()};
  }

 private:
  TempDir folder_;
  bool made_ = false;
};

}  // namespace giga::test
