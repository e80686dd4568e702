#!/usr/bin/env python3
"""The folder that ./dev makes for dlpack.h is an include folder: a file in it with the name of a standard header (there
once was one called "version") would be taken for that header. Usage: dlpack_folder_test.py FOLDER"""
import pathlib
import sys

extra = sorted(path.name for path in pathlib.Path(sys.argv[1]).iterdir() if path.name != "dlpack")
if extra:
    sys.exit(f"{sys.argv[1]} must hold the folder dlpack alone, and holds {', '.join(extra)}")
