#!/usr/bin/env python3
"""Shows that a program holds nothing that the trust table denies it, and needs nothing that a bare machine lacks.

usage: check_symbols.py PROGRAM KIND [--symbols-only]

KIND is `worker`, `judge` or `nvrtc`. Reads the symbol table (nm) and the needed shared libraries (readelf). A program
without symbols is refused: it would show nothing. --symbols-only is for sanitizer builds, which need their runtime.

The layer `device` is in worker and judge. What decides in it, the trusted kernels that compare and digest on a GPU, is
the judge's alone: neither the class nor its device code may be in a worker, nor any other device code but the one that
surrounds a candidate's calls.
"""

import re
import subprocess
import sys

WORKER_NEVER = ("verify", "measure", "archive", "operators", "stats", "task", "tensor", "blob", "build", "evaluate",
                "promote", "control", "agent", "service", "report", "execute", "dataset")
# Runs a compiler library over a candidate's source, in the sandbox.
NVRTC_NEVER = (*WORKER_NEVER[:WORKER_NEVER.index("build")], *WORKER_NEVER[WORKER_NEVER.index("build") + 1:], "worker",
               "device")
JUDGE_NEVER = ("archive", "promote", "control", "agent", "service", "report", "execute")

# Namespaces and C functions that must not appear, not even as the type of an argument.
FORBIDDEN = {
    "worker": re.compile(r"\bassay::(%s)::|\bsqlite3_|\bassay::device::cuda::TrustedKernels\b|"
                         r"\bassay::device::cuda::code::(?!call_kernels\b)\w+|\bassay_code_(?!call_kernels_)\w+" %
                         "|".join(WORKER_NEVER)),
    "judge": re.compile(r"\bassay::(%s)::|\bsqlite3_" % "|".join(JUDGE_NEVER)),
    "nvrtc": re.compile(r"\bassay::(%s)::|\bsqlite3_|\bassay_code_" % "|".join(NVRTC_NEVER)),
}
REQUIRED = {"worker": "assay::worker::", "judge": "assay::evaluate::", "nvrtc": "assay::build::"}

# glibc's own; everything else is linked in statically or opened at run time.
ALLOWED_LIBRARIES = re.compile(r"^(libc|libm|libdl|libpthread|librt|ld-linux-[a-z0-9-]+)\.so\.\d+$")


def output_of(command):
    return subprocess.run(command, check=True, capture_output=True, text=True, errors="replace").stdout


def symbol_problems(names, kind):
    """Checks demangled names; an iterable of strings."""
    names = list(names)
    if not any(REQUIRED[kind] in name for name in names):
        yield f"no symbol of {REQUIRED[kind]} at all: a stripped program, or not the {kind}"
    for name in names:
        match = FORBIDDEN[kind].search(name)
        if match:
            yield f"holds {match.group(0)} in: {name}"


def library_problems(libraries):
    for library in libraries:
        if not ALLOWED_LIBRARIES.match(library):
            yield f"needs {library}, which a bare machine may not have"


def defined_symbols(program):
    # "0000000000001139 T main": the name is everything after the type.
    return [line.split(" ", 2)[2] for line in output_of(["nm", "-C", "--defined-only", program]).splitlines()]


def needed_libraries(program):
    return re.findall(r"\(NEEDED\).*\[(.+)\]", output_of(["readelf", "-d", program]))


def main(arguments):
    symbols_only = "--symbols-only" in arguments
    arguments = [argument for argument in arguments if argument != "--symbols-only"]
    if len(arguments) != 2 or arguments[1] not in FORBIDDEN:
        print(__doc__, file=sys.stderr)
        return 2
    program, kind = arguments
    try:
        symbols = defined_symbols(program)
        libraries = needed_libraries(program)
    except (OSError, subprocess.CalledProcessError) as failure:
        print(f"{program}: cannot be read: {failure} {getattr(failure, 'stderr', '') or ''}")
        return 1
    problems = list(symbol_problems(symbols, kind))
    if not symbols_only:
        problems += library_problems(libraries)
    for problem in problems[:50]:
        print(f"{program}: {problem}")
    print(f"{program}: {len(symbols)} symbols, needs {' '.join(libraries) or 'nothing'}, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
