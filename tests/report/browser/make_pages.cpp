// make_pages FOLDER: the pages that the browser test opens.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>

#include "giga/data/output_file.hpp"
#include "report/made_up_check.hpp"
#include "report/made_up_report.hpp"

namespace {

void write(const std::filesystem::path& path, const giga::ReportData& data) {
  giga::OutputFile file(path, true);
  file.write(giga::report_html(data));
  file.commit();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 64;
  try {
    const std::filesystem::path folder = argv[1];
    std::filesystem::create_directories(folder);
    giga::ReportData plain = giga::test::made_up_report(giga::test::plain_names(7), 1000);
    plain.warnings = {"feature_3 has an R-hat of 1.02: sample longer with --draws"};
    write(folder / "plain.html", plain);
    plain.model_check = giga::test::share_check();
    write(folder / "model.html", plain);
    plain.model_check = giga::test::doubtful_check();
    write(folder / "doubt.html", plain);
    write(folder / "hostile.html", giga::test::hostile_report(300));
    write(folder / "large.html", giga::test::made_up_report(giga::test::plain_names(70), 1000));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make_pages: %s\n", error.what());
    return 1;
  }
}
