// What formulas, families and priors that cannot be are answered with: the exit code, what is said, and that
// nothing is left behind.
#include "cli/fit_input.hpp"

namespace giga::test {
namespace {

class ModelBadInput : public FitInput {
 protected:
  static constexpr const char* kRows =
      "city,x,days,n,k,y,late\nRome,1,3,5,2,1,yes\nOslo,2,0,5,6,2,no\nRome,3,2,5,0,0,maybe\nOslo,4,1,5,5,3,"
      "no\n";

  /// Of t.csv, which is all that is left.
  void refused_model(const Words& words, int code, const Words& said,
                     const std::string& table = kRows) const {
    SCOPED_TRACE(words.front());
    write_file(folder_ / "t.csv", table);
    const Outcome outcome = fit("t.csv", words);
    EXPECT_EQ(outcome.code, code) << outcome.error;
    EXPECT_EQ(outcome.out, "");
    expect_words(outcome.error, said);
    EXPECT_LE(outcome.peak_kilobytes, kMostKilobytes);
    EXPECT_EQ(folder_.size(), 1) << "something beside the input is left";
    std::filesystem::remove(folder_ / "t.csv");
  }

  /// The same for a formula: its text, and a caret under the place.
  void refused_formula(const std::string& formula, std::size_t caret, const Words& said) const {
    Words all = said;
    all.push_back(formula + "\n");
    all.push_back("\n" + std::string(caret, ' ') + "^");
    refused_model({formula, "--family", "gaussian"}, 64, all);
  }
};

TEST_F(ModelBadInput, FormulasThatAreNoneHaveACaretUnderThePlace) {
  refused_formula("y ~ x + nowhere", 8, {"nowhere"});
  refused_formula("y ~ x + dayz", 8, {"did you mean", "days"});
  refused_formula("y ~ (x + days", 4, {"("});
  refused_formula("y ~ x)", 5, {")"});
  refused_formula("y ~", 2, {"expected terms"});
  refused_formula("~ x", 0, {"no response"});
  refused_formula("y ~ x ~ days", 6, {"a formula has one '~'"});
  refused_formula("~ x ~ days", 4, {"a formula has one '~'"});
  refused_formula("y ~ lgo(x)", 4, {"lgo", "did you mean", "log"});
  refused_formula("y ~ frobnicate(x)", 4, {"frobnicate"});
  refused_formula("y ~ x +* days", 7, {});
  refused_formula("y ~ x + 'city'", 8, {});
  refused_formula("y ~ ns()", 4, {"ns"});
}

TEST_F(ModelBadInput, ColumnsThatCannotBeTermsAreNamed) {
  refused_model({"y ~ log(city)", "--family", "gaussian"}, 64, {"city"});
  refused_model({"y ~ x + offset(city)", "--family", "gaussian"}, 64, {"city"});
  refused_model({"y ~ poly(x, 9)", "--family", "gaussian"}, 65, {"poly(x, 9)"});
  std::string names = "name,x,y\n";
  for (int n = 0; n < 300; ++n)
    names +=
        "a" + std::to_string(n) + "," + std::to_string(n * 7919 % 101) + "," + std::to_string(n % 5) + "\n";
  refused_model({"y ~ x + name", "--family", "gaussian"}, 65,
                {"column 'name'", "300 levels in 300 cells", "looks like an identifier"}, names);
}

TEST_F(ModelBadInput, OffsetsTrialsAndResponsesOutOfRangeAreToldByRow) {
  refused_model({"y ~ x + offset(log(days))", "--family", "poisson"}, 65, {"row 2 (line 3)", "log(days)"});
  refused_model({"cbind(k, n - k) ~ x", "--family", "binomial"}, 65, {"row 2 (line 3)"});
  refused_model({"k ~ x", "--family", "binomial", "--trials", "n"}, 65,
                {"row 2 (line 3)", "n - (k) is -1", "cannot be below 0"});
  refused_model({"k ~ x", "--family", "binomial"}, 65, {"--trials"});
  refused_model({"y ~ x", "--family", "gamma"}, 65,
                {"row 3 (line 4)", "column 'y' is 0", "needs numbers above 0"});
  refused_model({"I(y / 2) ~ x", "--family", "negative_binomial"}, 65, {"row 1 (line 2)", "0.5"});
  refused_model({"late ~ x", "--family", "bernoulli"}, 65, {"column 'late'", "3 levels", "two"});
  refused_model({"city ~ x", "--family", "negative_binomial"}, 65,
                {"column 'city' is text", "'Oslo', 'Rome'"});
  refused_model({"y ~ x", "--family", "student_t"}, 65, {"column 'y'", "missing"},
                "x,y\n1,NA\n2,\n3,NA\n4,nan\n");
}

TEST_F(ModelBadInput, SettingsOfFamiliesOutsideTheirRange) {
  refused_model({"y ~ x", "--family", "student_t", "--nu", "0"}, 64, {"--nu"});
  refused_model({"y ~ x", "--family", "student_t", "--nu", "-3"}, 64, {"--nu"});
  refused_model({"y ~ x", "--family", "gaussian", "--noise-scale", "-1"}, 64, {"--noise-scale"});
  refused_model({"y ~ x", "--family", "gaussian", "--nu", "4"}, 64, {"--nu", "gaussian"});
  refused_model({"y ~ x", "--family", "gamma", "--link", "probit"}, 64, {"--link", "log"});
  refused_model({"y ~ x", "--family", "weibull"}, 64, {"--family", "gamma"});
  refused_model({"y ~ x", "--family", "gaussian", "--missing", "mean"}, 64, {"--missing", "drop"});
}

TEST_F(ModelBadInput, PriorsThatCannotBeNameWhatThereIs) {
  refused_model({"y ~ x", "--family", "gaussian", "--prior", "city = normal(0, 1)"}, 64,
                {"there is no 'city'", "'x'", "'sigma'"});
  refused_model({"y ~ x", "--family", "gaussian", "--prior", "normal(0, -1)"}, 64, {"normal(0, -1)", "^"});
  refused_model({"y ~ x", "--family", "gaussian", "--prior", "cauchy("}, 64, {"cauchy(", "\n         ^"});
  refused_model({"y ~ x", "--family", "gaussian", "--prior-sigma", "normal(0, 1)"}, 64,
                {"'sigma', which is positive", "exponential"});
  refused_model({"y ~ x", "--family", "gaussian", "--prior-phi", "exponential(1)"}, 64,
                {"--prior-phi has no effect with --family gaussian"});
  refused_model({"y ~ x", "--family", "gaussian", "--prior-sigma", "exponential(0)"}, 64,
                {"exponential(0)", "^"});
  refused_model({"y ~ x", "--family", "gaussian", "--noise-scale", "1", "--prior-sigma", "exponential(1)"},
                64, {"--prior-sigma has no effect with --noise-scale, which fixes sigma"});
  refused_model({"y ~ x", "--family", "student_t", "--nu", "4", "--prior-nu", "exponential(1)"}, 64,
                {"--prior-nu has no effect with --nu, which fixes nu"});
}

}  // namespace
}  // namespace giga::test
