#!/usr/bin/env python3
"""Holds every #include under src/assay against the layers that the build declared.

usage: check_layers.py LAYERS.json SOURCE_FOLDER

LAYERS.json is written by cmake/Layers.cmake: {"layer": ["layer it depends on", ...], ...}. All layers share one
include root, so the linker alone would not notice a forbidden include. Prints one line a problem and exits 1 if there
is any.
"""

import json
import pathlib
import re
import sys

# Mains: may include anything, nothing may include them.
APPS = "apps"

# What a layer must never reach, even through others: the trust table of ARCHITECTURE.md.
NEVER_REACHES = {
    "worker": {"task", "tensor", "stats", "blob", "build", "operators", "measure", "verify", "evaluate", "archive"},
    "evaluate": {"archive", "execute", "promote", "control", "agent", "service", "report", "cli"},
}

# Third parties that are slow to compile, throw, or belong to one layer: never in a header.
NOT_IN_HEADERS = re.compile(
    r"^(nlohmann/(?!json_fwd\.hpp$)|CLI/|boost/|toml\+\+/|toml\.hpp$|SQLiteCpp/|sqlite3\.h$|httplib\.h$|openssl/|zstd)")

# Headers that only tests include; the layer rules hold for them, the rule above does not.
TEST_HEADER = re.compile(r"^(test|sample|fake)_|testing\.hpp$")

# Third parties that live in one layer alone.
HOME = [(re.compile(r"^(SQLiteCpp/|sqlite3\.h$)"), "archive"), (re.compile(r"^CLI/"), "cli"),
        (re.compile(r"^boost/"), "stats"), (re.compile(r"^zstd"), "blob")]

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def closure(edges, layer):
    """Returns the layer and everything it may include, transitively."""
    reached = set()
    open_layers = [layer]
    while open_layers:
        current = open_layers.pop()
        if current not in reached:
            reached.add(current)
            open_layers.extend(edges.get(current, []))
    return reached


def find_cycle(edges):
    """Returns one cycle as a list of layers whose last is its first, or []."""
    done = set()

    def visit(layer, path):
        if layer in path:
            return path[path.index(layer):] + [layer]
        if layer in done:
            return []
        for dependency in edges.get(layer, []):
            cycle = visit(dependency, path + [layer])
            if cycle:
                return cycle
        done.add(layer)
        return []

    for layer in edges:
        cycle = visit(layer, [])
        if cycle:
            return cycle
    return []


def graph_problems(edges):
    for layer, dependencies in edges.items():
        for dependency in dependencies:
            if dependency not in edges:
                yield f"layers.json: layer '{layer}' depends on '{dependency}', which is no layer"
    cycle = find_cycle(edges)
    if cycle:
        yield "layers.json: cycle " + " -> ".join(cycle)
    for layer, forbidden in NEVER_REACHES.items():
        if layer in edges:
            for reached in sorted(closure(edges, layer) & forbidden):
                yield f"layers.json: layer '{layer}' must never reach '{reached}' (trust table)"


def include_problem(edges, root, layer, is_header, quote, target):
    """Says what is wrong with one include of a file of `layer`, or returns None."""
    if quote == '"':
        return f'#include "{target}": write <assay/layer/file.hpp>'
    if is_header and NOT_IN_HEADERS.match(target):
        return f"<{target}> may be included by .cpp files only"
    for pattern, home in HOME:
        if pattern.match(target) and layer not in (home, APPS):
            return f"<{target}> belongs to layer '{home}' alone"
    parts = target.split("/")
    if parts[0] != "assay" or target == "assay/candidate.h":
        return None
    if len(parts) < 3 or parts[1] not in edges:
        return f"<{target}> is in no layer"
    if layer != APPS and parts[1] not in closure(edges, layer):
        return f"layer '{layer}' may not include '{parts[1]}' (<{target}>)"
    if not root.joinpath(*parts[1:]).is_file():
        return f"<{target}> does not exist"
    return None


def source_problems(edges, root):
    files = sorted(path for path in root.rglob("*") if path.suffix in (".hpp", ".h", ".cpp", ".cu", ".cuh"))
    if not files:
        yield f"{root}: no source file"
    undeclared = set()
    for path in files:
        relative = path.relative_to(root)
        layer = relative.parts[0] if len(relative.parts) > 1 else ""
        if layer != APPS and layer not in edges:
            if layer not in undeclared:
                undeclared.add(layer)
                yield f"{relative}:1: folder '{layer}' is no declared layer"
            continue
        is_header = path.suffix in (".hpp", ".h", ".cuh") and not TEST_HEADER.search(path.name)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            if match:
                problem = include_problem(edges, root, layer, is_header, *match.groups())
                if problem:
                    yield f"{relative}:{number}: {problem}"


def main(arguments):
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    edges = json.loads(pathlib.Path(arguments[0]).read_text(encoding="utf-8"))
    root = pathlib.Path(arguments[1])
    problems = list(graph_problems(edges)) + list(source_problems(edges, root))
    for problem in problems:
        print(problem)
    print(f"{len(edges)} layers, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
