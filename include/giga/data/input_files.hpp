// An input that several files make: they are one table, with the rows of the files one after the other.
//
//   flights.csv             one file, or a folder
//   'parts/*.csv'           the files that a pattern of the shell matches, in the order of the bytes of their
//                           names, whatever the locale: part-10 comes before part-2
//   a.csv,b.csv,'c/*.csv'   a list of these, in the order given; a name with a comma or blanks at its ends is
//                           in double quotes, which are doubled inside
//   parts/                  a folder without .parquet files: what is in it and can be read, in the same
//   order,
//                           but names that begin with . or _
//
// A file that exists is itself, whatever its name looks like.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace giga {

/// The files of an input, in order; a folder of Parquet files, "-" and a file that does not exist stand for
/// themselves. Throws InputMissing where a pattern matches nothing or a folder cannot be read, OptionError
/// where a file is there twice or "-" is one of several.
[[nodiscard]] std::vector<std::filesystem::path> input_files(const std::filesystem::path& input);

/// The input that names the given ones, in order: the list of them, or the one that there is.
[[nodiscard]] std::filesystem::path joined_input(const std::vector<std::string>& inputs);

/// The same input from any working folder.
[[nodiscard]] std::filesystem::path absolute_input(const std::filesystem::path& input);

/// Whether the file `path` is one of the input, or is the input; false if it does not exist.
[[nodiscard]] bool is_of_input(const std::filesystem::path& path, const std::filesystem::path& input);

/// What to call things made of the input: "flights" for data/flights.csv.gz, 'data/flights-*.csv', and for
/// data/flights/ and 'flights/*.csv'; "stdin" for "-", "query" where there is no path.
[[nodiscard]] std::string input_stem(const std::filesystem::path& input);

}  // namespace giga
