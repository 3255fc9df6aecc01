"""That run_page.py finds what is wrong with a page; with a shell script in the place of giga."""
import pathlib
import tempfile
import unittest

import pages
import run_page

GIGA = """#!/bin/sh
case "$*" in
  --help-all) echo "Commands: build" ;;
  "build --help-all") echo "  --size M  --sized N" ;;
  "build good") echo "points 12, error 0.5" ;;
  "build bad") echo "giga: error: bad: row 3 is wrong" >&2; exit 65 ;;
  *) exit 64 ;;
esac
"""


class RunPage(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.giga = pathlib.Path(self.folder.name) / "giga"
        self.giga.write_text(GIGA)
        self.giga.chmod(0o755)

    def tearDown(self):
        self.folder.cleanup()

    def wrong(self, markdown, **table):
        for name in run_page.LISTS:
            for entry in table.get(name, []):
                entry["page"] = "p.md"
        table.setdefault("fixtures", {})
        with run_page.Shell(self.giga, ".") as shell:
            found = run_page.run_page("p.md", markdown, run_page.Table(table, "p.md"), shell, lambda line: None)
            return found + run_page.check_inline("p.md", markdown, shell)

    def test_a_true_page_has_nothing_wrong(self):
        self.assertEqual(self.wrong("Text\n\n    giga build good    a remark\n    points 7, error 1e-3\n"), [])
        self.assertEqual(self.wrong("```sh\ngiga build \\\n  good\n```\nand `giga build --size 3`\n"), [])

    def test_a_command_that_fails_is_found(self):
        self.assertIn("ended with 65", self.wrong("    giga build bad\n")[0])
        self.assertIn("ended with 65", self.wrong("    giga build bad | cat\n")[0])

    def test_output_that_is_not_printed_is_found(self):
        self.assertIn("no command", self.wrong("    giga build good\n\nsays\n\n    points 12, errors 0.5\n")[0])

    def test_output_before_its_command_is_found(self):
        self.assertIn("no command", self.wrong("    points 12, error 0.5\n\nby\n\n    giga build good\n")[0])

    def test_a_message_may_be_provoked_and_must_have_its_exit_code(self):
        entry = {"starts": "bad: row", "run": "giga build bad", "exit": 65}
        page = "    bad: row 17 is wrong\n"
        self.assertEqual(self.wrong(page, provoked=[dict(entry)]), [])
        self.assertIn("not 66", self.wrong(page, provoked=[dict(entry, exit=66)])[0])

    def test_what_is_not_run_needs_an_entry_and_an_entry_needs_a_command(self):
        entry = {"starts": "giga build bad", "reason": "none"}
        self.assertEqual(self.wrong("    giga build bad\n", not_run=[dict(entry)]), [])
        self.assertIn("nothing in p.md", self.wrong("    giga build good\n", not_run=[dict(entry)])[0])

    def test_what_is_run_where_a_program_is_there_is_run_there_only(self):
        entry = {"starts": "giga build bad", "reason": "none"}
        page = "    giga build bad\n    what it prints\n"
        self.assertEqual(self.wrong(page, not_run=[dict(entry, unless="false")]), [])
        self.assertIn("ended with 65", self.wrong(page, not_run=[dict(entry, unless="true")])[0])

    def test_an_option_in_running_text_that_does_not_exist_is_found(self):
        self.assertIn("--sise", self.wrong("Say `giga build DATA --sise 3`.\n")[0])
        self.assertEqual(self.wrong("Say `giga build DATA --size 3`.\n"), [])
        self.assertIn("--siz", self.wrong("Say `giga build DATA --siz 3`.\n")[0])

    def test_a_link_that_leads_nowhere_is_found(self):
        folder = pathlib.Path(self.folder.name)
        self.assertEqual(run_page.check_links("p.md", "[a](giga#top), [b](https://example.org)", folder), [])
        self.assertIn("gone.md", run_page.check_links("p.md", "[a](gone.md)", folder)[0])

    def test_a_fixture_that_fails_is_found(self):
        wrong = self.wrong("    giga build good\n", fixtures={"x": "false"}, pages={"p.md": ["x"]})
        self.assertIn("fixture", wrong[0])

    def test_files_are_there_for_the_commands_after_them(self):
        self.assertEqual(self.wrong("```python\n# a.py: says it\nprint('hello')\n```\n\n    cat a.py\n"), [])
        with self.assertRaises(pages.PageError):
            self.wrong("```python\nprint('hello')\n```\n")

    def test_a_command_by_an_unknown_program_is_not_passed_over(self):
        with self.assertRaises(pages.PageError):
            self.wrong("    nice_try | giga build good\n")

    def test_the_table_may_not_speak_of_pages_or_fixtures_that_are_not_there(self):
        table = {"fixtures": {"x": "true"}, "pages": {"gone.md": []}}
        wrong = run_page.check_table(table, pathlib.Path(self.folder.name))
        self.assertEqual(len(wrong), 2)


class Blocks(unittest.TestCase):
    def test_lists_and_wrapped_lines_are_no_blocks(self):
        self.assertEqual(pages.blocks("- an item\n    that goes on\n"), [])

    def test_a_blank_line_does_not_end_an_indented_block(self):
        found = pages.blocks("Text\n\n    one\n\n    two\n\nText\n")
        self.assertEqual([line for line in found[0].text if line], ["one", "two"])


if __name__ == "__main__":
    unittest.main()
