#!/usr/bin/python3
"""readme_example.py README PREFIX FOLDER: does what the C++ example of the README tells its reader to do.

PREFIX is a home folder whose .local has an installed giga. The files that the page shows, each of which begins
with a comment that has its name, are written to FOLDER, and the commands after them are run there as they stand,
in a shell whose home is PREFIX.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

START, END = 'In C++, after', 'More in [examples/]'


def example(page):
    """The files by name and the commands, both in their order."""
    part = page[page.index(START):page.index(END)]
    files = {}
    for block in re.findall(r'^```\w+\n(.*?)^```$', part, re.MULTILINE | re.DOTALL):
        name = re.match(r'(?:#|//) (\S+)\n', block)
        if not name:
            sys.exit('a block of the example does not begin with the name of its file')
        files[name.group(1)] = block
    return files, re.findall(r'^    (\S.*)$', re.sub(r'^```.*?^```$', '', part, flags=re.MULTILINE | re.DOTALL),
                             re.MULTILINE)


def main():
    page, home, folder = (pathlib.Path(word) for word in sys.argv[1:])
    files, commands = example(page.read_text())
    if set(files) != {'CMakeLists.txt', 'program.cpp'} or len(commands) < 3:
        sys.exit(f'the example has the files {sorted(files)} and {len(commands)} commands')
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    surroundings = dict(os.environ, HOME=str(home), PATH=f'{home}/.local/bin:' + os.environ['PATH'])
    output = ''
    for command in commands:
        done = subprocess.run(['sh', '-ec', command], cwd=folder, env=surroundings, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        output = done.stdout
        print(f'$ {command}\n{output}', flush=True)
        if done.returncode != 0:
            sys.exit(f'{command}: ended with {done.returncode}')
    # The last command runs the program: 100 points at most, and the errors of the coreset.
    points = re.findall(r'^row \d+, weight \S+$', output, re.MULTILINE)
    errors = re.search(r'^relative error (\S+), held-out error (\S+)$', output, re.MULTILINE)
    if not 0 < len(points) <= 100 or not errors or float(errors.group(2)) > 0.1:
        sys.exit('the program did not print a coreset')


main()
