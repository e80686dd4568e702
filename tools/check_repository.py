#!/usr/bin/env python3
"""Holds the repository against its own rules: file sizes and names, tests per source, no trace of one machine.

usage: check_repository.py [ROOT]

Looks at what git tracks or would track. Prints one line a problem and the figures, and exits 1 if there is a problem.
"""

import pathlib
import re
import statistics
import subprocess
import sys

MAXIMUM_LINES = 600
LISTED_LINES = 400
MINIMUM_TEST_RATIO = 0.8
CODE = {".cpp", ".hpp", ".h", ".c", ".cu", ".cuh", ".py", ".sh", ".cmake"}

# Data that others wrote, and licence text: neither sizes nor paths in them are ours.
FOREIGN = re.compile(r"^(tests/data/|datasets/|LICENSE$|tests/golden/)")

FORBIDDEN_NAME = re.compile(r"(^|_)(util|utils|helper|helpers|manager|common|misc)($|_)")

# A path is of a machine if it starts at a place where people or build machines keep their things.
MACHINE_PATH = re.compile(r"(?<![\w./$}-])/((work|root|workspace)(?![\w-])|home/[a-z]|Users/[A-Za-z]|mnt/[a-z])")

# Hosts that may appear in a URL. Package registries are not among them: which one is used is the machine's business.
URL = re.compile(r"\b(?:https?|ssh|git)://([A-Za-z0-9.-]+)")
ALLOWED_HOSTS = {"www.w3.org", "www.apache.org", "arxiv.org", "doi.org", "github.com", "json-schema.org", "localhost",
                 "127.0.0.1", "git-lfs.github.com", "example.com", "example.org", "dmlc.github.io",
                 "docs.flashinfer.ai"}
REGISTRY = re.compile(r"--(extra-)?index[-]url|--find[-]links|trusted[-]host|pypi[.]org|pythonhosted[.]org|"
                      r"registry[.]npmjs|deb[.]debian[.]org|archive[.]ubuntu[.]com|crates[.]io|proxy[.]golang")


def repository_files(root):
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        names = subprocess.run(command, check=True, capture_output=True).stdout.decode().split("\0")
    except (OSError, subprocess.CalledProcessError):  # An unpacked archive of the sources.
        names = [path.relative_to(root).as_posix() for path in root.rglob("*")]
        names = [name for name in names if not re.search(r"(^|/)(build|\.git|\.cache|__pycache__)/", name)]
    return sorted(name for name in names if name and (root / name).is_file())


def is_test(name):
    """Tells tests, and what only tests include, from sources. Student's t_test.cpp is no test."""
    by_name = re.search(r"((?<!/t)_test|\btesting|_testing|/rehearsal)\.[a-z]+$|/(test|sample|fake)_[^/]*$", name)
    return bool(by_name) or name.startswith(("tests/", "fuzz/"))


def counted(name):
    """Tells whether a file counts in the ratio of test to source lines: programs and scripts, not build files."""
    folders = ("src/", "include/", "tests/", "tools/", "examples/", "bench/", "fuzz/")
    if FOREIGN.match(name) or not name.startswith(folders):
        return False
    suffix = pathlib.PurePath(name).suffix
    return suffix in CODE - {".cmake"} or (name.startswith("tests/scenario/") and suffix == ".txt")


def code_lines(text):
    """Counts lines that hold code: no blank lines, no lines that are comment only."""
    count = 0
    in_block = False
    for line in map(str.strip, text.splitlines()):
        if in_block:
            in_block = "*/" not in line
        elif line.startswith("/*"):
            in_block = "*/" not in line
        elif line and not line.startswith(("//", "# ")):
            count += 1
    return count


def content_problems(name, text):
    for number, line in enumerate(text.splitlines(), 1):
        if MACHINE_PATH.search(line):
            yield f"{name}:{number}: a path of one machine: {line.strip()[:100]}"
        if REGISTRY.search(line):
            yield f"{name}:{number}: names a package registry; leave that to the machine's settings"
        for host in URL.findall(line):
            if host not in ALLOWED_HOSTS:
                yield f"{name}:{number}: host {host} is not among those that may be named (tools/check_repository.py)"


def link_problems(root, name, text):
    """Follows the relative links of a Markdown file."""
    for target in re.findall(r"\]\(([^)#\s]+)", text):
        if "://" not in target and not (root / name).parent.joinpath(target).exists():
            yield f"{name}: links to {target}, which does not exist"


def shape_problems(name, text):
    stem = pathlib.PurePath(name).name.split(".")[0]
    if FORBIDDEN_NAME.search(stem):
        yield f"{name}: says nothing about what is in it; name the concept"
    lines = text.count("\n")
    if lines > MAXIMUM_LINES:
        yield f"{name}: {lines} lines; split it (at most {MAXIMUM_LINES})"
    if name.endswith((".hpp", ".cuh")) and "#pragma once" not in text:
        yield f"{name}: lacks #pragma once"
    layer = re.match(r"src/assay/([a-z_]+)/.*\.hpp$", name)
    if layer and layer.group(1) != "apps" and not re.search(rf"namespace assay::{layer.group(1)}\b", text):
        yield f"{name}: does not open namespace assay::{layer.group(1)}"


def ratio(test, source):
    return test / source if source else 0.0


def check(root):
    """Returns (problems, figures), both lists of lines."""
    problems = []
    sizes = {}
    code = {True: 0, False: 0}
    plain = {True: 0, False: 0}
    for name in repository_files(root):
        data = (root / name).read_bytes()
        if FOREIGN.match(name) or b"\0" in data:
            continue
        text = data.decode("utf-8", errors="replace")
        if name != "tools/check_repository_test.py":  # It plants what is forbidden.
            problems += content_problems(name, text)
        if name.endswith(".md"):
            problems += link_problems(root, name, text)
        if pathlib.PurePath(name).suffix in CODE or name == "dev":
            problems += shape_problems(name, text)
            sizes[name] = text.count("\n")
        if counted(name):
            code[is_test(name)] += code_lines(text)
            plain[is_test(name)] += text.count("\n")
    if not sizes:
        return ["no source file found"], []
    if ratio(code[True], code[False]) < MINIMUM_TEST_RATIO:
        problems.append(f"{ratio(code[True], code[False]):.2f} lines of test a line of source; at least "
                        f"{MINIMUM_TEST_RATIO} are wanted")
    figures = [f"{name}: {lines} lines" for name, lines in sorted(sizes.items(), key=lambda item: -item[1])
               if lines > LISTED_LINES]
    figures.append(f"{len(sizes)} files, median {statistics.median(sizes.values()):.0f} lines, "
                   f"{sum(size <= LISTED_LINES for size in sizes.values()) / len(sizes):.0%} of at most {LISTED_LINES}")
    figures.append(f"code: {code[True]} test / {code[False]} source = {ratio(code[True], code[False]):.2f}; with "
                   f"comments and blank lines: {plain[True]} / {plain[False]} = {ratio(plain[True], plain[False]):.2f}")
    return problems, figures


def main(arguments):
    if len(arguments) > 1:
        print(__doc__, file=sys.stderr)
        return 2
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).resolve().parent.parent
    problems, figures = check(root)
    for line in figures + problems:
        print(line)
    print(f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
