#!/usr/bin/env python3
"""Packs the example kernels into solution files of the FlashInfer-Trace schema, whose sources are strings in JSON.

usage: pack_solutions.py [--check] [ROOT]

Reads examples/<operator>/*.json but launch plans: {"name", "author", "op_type", "definition", "source", "description",
"binding"?, "assay"?, "plan"?}, and writes
datasets/contest/solutions/<author>/<op_type>/<definition>/<name>.json; those of examples/public go to datasets/public.
With --check nothing is written: prints what is missing or differs and exits 1.
"""

import argparse
import json
import pathlib
import sys

# One name for all of a language: a candidate's identity covers the paths of its sources, and a copy must be known as one.
PACKED = {".cpp": ("kernel.cpp", "cpp", "cpu"), ".cu": ("kernel.cu", "cuda", "cuda")}
PACKED_PLAN = "launch.json"
KEYS = {"name", "author", "op_type", "definition", "source", "description"}


def pack(template_path):
    """Returns (path below datasets, text) of one solution."""
    template = json.loads(template_path.read_text(encoding="utf-8"))
    if not KEYS <= set(template) <= KEYS | {"assay", "binding", "plan"}:
        raise ValueError(f"{template_path}: must have {', '.join(sorted(KEYS))}, may have assay, binding and plan, and "
                         "nothing else")
    suffix = pathlib.PurePath(template["source"]).suffix
    if suffix not in PACKED:
        raise ValueError(f"{template_path}: source must end in {' or '.join(PACKED)}, not {suffix!r}")
    source_path, language, hardware = PACKED[suffix]
    content = (template_path.parent / template["source"]).read_text(encoding="utf-8")
    sources = [{"path": source_path, "content": content}]
    entry_file = source_path
    if "plan" in template:
        entry_file = PACKED_PLAN
        sources.append({"path": PACKED_PLAN,
                        "content": (template_path.parent / template["plan"]).read_text(encoding="utf-8")})
    solution = {
        "name": template["name"],
        "definition": template["definition"],
        "author": template["author"],
        "description": template["description"],
        "spec": {
            "language": language,
            "target_hardware": [hardware],
            "entry_point": f"{entry_file}::run",
            "dependencies": [],
            "destination_passing_style": True,
            "binding": template.get("binding"),
        },
        "sources": sources,
    }
    if "assay" in template:
        solution["assay"] = template["assay"]
    dataset = "public" if template_path.parent.name == "public" else "contest"
    path = pathlib.PurePosixPath(dataset, "solutions", template["author"], template["op_type"], template["definition"],
                                 template["name"] + ".json")
    return path, json.dumps(solution, indent=2, ensure_ascii=False) + "\n"


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is missing or differs")
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    options = parser.parse_args(arguments)
    dataset = options.root / "datasets"
    stale = 0
    templates = sorted(path for path in (options.root / "examples").glob("*/*.json")
                       if not path.name.endswith(".launch.json"))
    if not templates:
        print(f"pack_solutions: no examples/*/*.json in {options.root}", file=sys.stderr)
        return 2
    for template in templates:
        try:
            path, text = pack(template)
        except (OSError, ValueError, KeyError) as error:
            print(f"pack_solutions: {error}", file=sys.stderr)
            return 2
        target = dataset / path
        current = target.read_text(encoding="utf-8") if target.is_file() else None
        if current == text:
            continue
        if options.check:
            what = "is missing" if current is None else "differs from its sources"
            print(f"{target.relative_to(options.root)} {what}: run tools/pack_solutions.py")
            stale += 1
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
            print(f"wrote {target.relative_to(options.root)}")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
