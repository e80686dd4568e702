#!/usr/bin/env python3
"""Builds small programs that break the trust table and expects check_symbols.py to catch each."""

import contextlib
import io
import os
import pathlib
import subprocess
import tempfile
import unittest

import check_symbols

HONEST = """
namespace assay::base { int digest(int x) { return x + 1; } }
namespace assay::worker { int serve(int x) { return base::digest(x); } }
int main(int count, char**) { return assay::worker::serve(count); }
"""
SMUGGLER = HONEST + """
namespace assay::verify { int expected(int x) { return x; } }
"""
# Not a function of the forbidden layer, only one of its types in a template of an allowed one.
SMUGGLED_TYPE = HONEST + """
namespace assay::task { struct Tolerance { int value; }; }
namespace assay::worker { template <class T> int size_of(const T& t) { return t.value; } }
int use(assay::task::Tolerance t) { return assay::worker::size_of(t); }
"""
# Device code as cmake/DeviceCode.cmake makes it: a function that returns what the assembler included.
DEVICE_CODE = HONEST + """
namespace assay::device::cuda::code { int %s() { return 1; } }
"""
TRUSTED_KERNELS = HONEST + """
namespace assay::device::cuda { struct TrustedKernels { int compare(); }; int TrustedKernels::compare() { return 1; } }
"""
BLOB_OF_CODE = HONEST + """
extern "C" const char assay_code_%s_begin[] = "x";
"""
NVRTC = """
namespace assay::build { int run_nvrtc(int x) { return x; } }
int main(int count, char**) { return assay::build::run_nvrtc(count); }
"""
JUDGE = """
namespace assay::evaluate { int judge(int x) { return x; } }
namespace assay::verify { int expected(int x) { return x; } }
int main(int count, char**) { return assay::evaluate::judge(count) + assay::verify::expected(count); }
"""
DATABASE = JUDGE + """
extern "C" int sqlite3_open(const char*) { return 0; }
"""


class CheckSymbols(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def compile(self, source, *options):
        folder = pathlib.Path(self.folder.name)
        (folder / "program.cpp").write_text(source, encoding="utf-8")
        program = str(folder / "program")
        compiler = os.environ.get("CXX", "g++")
        subprocess.run([compiler, "-std=c++20", "-static-libstdc++", "-static-libgcc", "-o", program,
                        str(folder / "program.cpp"), *options], check=True)
        return program

    def check(self, *arguments):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            status = check_symbols.main(list(arguments))
        return status, printed.getvalue()

    def test_an_honest_worker_passes(self):
        status, printed = self.check(self.compile(HONEST), "worker")
        self.assertEqual(status, 0, printed)

    def test_a_worker_with_a_forbidden_function_fails(self):
        status, printed = self.check(self.compile(SMUGGLER), "worker")
        self.assertEqual(status, 1, printed)
        self.assertIn("holds assay::verify:: in: assay::verify::expected(int)", printed)

    def test_a_forbidden_type_in_a_signature_is_enough(self):
        status, printed = self.check(self.compile(SMUGGLED_TYPE), "worker")
        self.assertEqual(status, 1, printed)
        self.assertIn("assay::task::", printed)

    def test_the_kernels_that_decide_are_not_the_workers(self):
        for source in (DEVICE_CODE % "call_kernels", BLOB_OF_CODE % "call_kernels"):
            status, printed = self.check(self.compile(source), "worker")
            self.assertEqual(status, 0, printed)
        for source, held in ((TRUSTED_KERNELS, "assay::device::cuda::TrustedKernels"),
                             (DEVICE_CODE % "trusted_kernels", "assay::device::cuda::code::trusted_kernels"),
                             (DEVICE_CODE % "gdn_decode", "assay::device::cuda::code::gdn_decode"),
                             (DEVICE_CODE % "call_kernels_and_more", "assay::device::cuda::code::call_kernels_and_more"),
                             (BLOB_OF_CODE % "trusted_kernels", "assay_code_trusted_kernels_begin")):
            status, printed = self.check(self.compile(source), "worker")
            self.assertEqual(status, 1, printed)
            self.assertIn(f"holds {held} in: ", printed)

    def test_what_starts_nvrtc_holds_nothing_of_judge_or_worker(self):
        self.assertEqual(self.check(self.compile(NVRTC), "nvrtc")[0], 0)
        for layer in ("verify", "device", "worker", "task", "archive"):
            status, printed = self.check(self.compile(NVRTC + "namespace assay::%s { int f() { return 1; } }" % layer),
                                         "nvrtc")
            self.assertEqual(status, 1, printed)
            self.assertIn(f"assay::{layer}::", printed)
        self.assertEqual(self.check(self.compile(HONEST), "nvrtc")[0], 1)

    def test_the_judge_may_verify_but_not_open_a_database(self):
        self.assertEqual(self.check(self.compile(JUDGE), "judge")[0], 0)
        status, printed = self.check(self.compile(DATABASE), "judge")
        self.assertEqual(status, 1, printed)
        self.assertIn("holds sqlite3_ in: sqlite3_open", printed)

    def test_a_judge_is_no_worker_and_a_worker_is_no_judge(self):
        self.assertEqual(self.check(self.compile(JUDGE), "worker")[0], 1)
        self.assertEqual(self.check(self.compile(HONEST), "judge")[0], 1)

    def test_a_stripped_program_shows_nothing(self):
        status, printed = self.check(self.compile(HONEST, "-s"), "worker")
        self.assertEqual(status, 1, printed)
        self.assertIn("a stripped program", printed)

    def test_a_shared_library_beyond_glibc_is_refused_unless_told(self):
        program = self.compile(HONEST, "-Wl,--no-as-needed", "-lcrypto")
        status, printed = self.check(program, "worker")
        self.assertEqual(status, 1, printed)
        self.assertIn("needs libcrypto.so.3", printed)
        self.assertEqual(self.check(program, "worker", "--symbols-only")[0], 0)

    def test_which_libraries_are_allowed(self):
        allowed = ["libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "ld-linux-x86-64.so.2",
                   "ld-linux-aarch64.so.1"]
        self.assertEqual(list(check_symbols.library_problems(allowed)), [])
        for library in ("libstdc++.so.6", "libgcc_s.so.1", "libcuda.so.1", "libc.so.6.evil", "libsqlite3.so.0"):
            self.assertEqual(len(list(check_symbols.library_problems([library]))), 1, library)

    def test_a_missing_program_is_a_failure(self):
        status, printed = self.check(str(pathlib.Path(self.folder.name) / "gone"), "worker")
        self.assertEqual(status, 1)
        self.assertIn("cannot be read", printed)

    def test_wrong_usage(self):
        with contextlib.redirect_stderr(io.StringIO()) as complaint:
            self.assertEqual(check_symbols.main(["program", "nothing"]), 2)
        self.assertIn("usage", complaint.getvalue())


if __name__ == "__main__":
    unittest.main()
