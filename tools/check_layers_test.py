#!/usr/bin/env python3
"""Plants violations in a small tree and expects check_layers.py to name each."""

import contextlib
import io
import json
import pathlib
import tempfile
import unittest

import check_layers

EDGES = {"base": [], "os": ["base"], "stats": ["base"], "cli": ["os", "stats"], "archive": ["os"]}


class CheckLayers(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name) / "assay"
        self.write("base/text.hpp", "#pragma once\n#include <string>\n")
        self.write("os/file.hpp", "#pragma once\n#include <assay/base/text.hpp>\n")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def check(self, edges=None):
        """Returns the exit status and what was printed."""
        graph = pathlib.Path(self.folder.name) / "layers.json"
        graph.write_text(json.dumps(EDGES if edges is None else edges), encoding="utf-8")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            status = check_layers.main([str(graph), str(self.root)])
        return status, printed.getvalue()

    def assert_reports(self, expected, edges=None):
        status, printed = self.check(edges)
        self.assertEqual(status, 1, printed)
        self.assertIn(expected, printed)
        self.assertIn("1 problems", printed)

    def assert_clean(self, edges=None):
        self.assertEqual(self.check(edges)[0], 0, self.check(edges)[1])

    def test_accepts_own_direct_and_transitive_layers(self):
        self.write("cli/a.cpp", "#include <CLI/CLI.hpp>\n#include <assay/os/file.hpp>\n")
        self.write("cli/b.cpp", "#include <assay/base/text.hpp>\n")
        self.write("os/b.cpp", "#include <sys/stat.h>\n#include <assay/os/file.hpp>\n#include <assay/candidate.h>\n")
        self.write("apps/main.cpp", "#include <assay/os/file.hpp>\n#include <sqlite3.h>\n")
        self.assert_clean()

    def test_refuses_an_include_against_the_direction(self):
        self.write("base/a.cpp", "\n#include <assay/os/file.hpp>\n")
        self.assert_reports("base/a.cpp:2: layer 'base' may not include 'os' (<assay/os/file.hpp>)")

    def test_refuses_a_sibling_even_with_odd_spacing_and_in_tests(self):
        self.write("stats/a_test.cpp", "  #  include   <assay/os/file.hpp> // why not\n")
        self.assert_reports("stats/a_test.cpp:1: layer 'stats' may not include 'os'")

    def test_looks_into_nested_folders(self):
        self.write("stats/deep/a.hpp", "#include <assay/os/file.hpp>\n")
        self.assert_reports("stats/deep/a.hpp:1: layer 'stats' may not include 'os'")

    def test_refuses_quotes(self):
        self.write("os/a.cpp", '#include "file.hpp"\n')
        self.assert_reports('os/a.cpp:1: #include "file.hpp"')

    def test_refuses_an_unknown_layer_in_an_include(self):
        self.write("os/a.cpp", "#include <assay/util/x.hpp>\n")
        self.assert_reports("<assay/util/x.hpp> is in no layer")

    def test_refuses_a_header_that_does_not_exist(self):
        self.write("os/a.cpp", "#include <assay/base/gone.hpp>\n")
        self.assert_reports("<assay/base/gone.hpp> does not exist")

    def test_refuses_to_include_a_main(self):
        self.write("apps/options.hpp", "#pragma once\n")
        self.write("os/a.cpp", "#include <assay/apps/options.hpp>\n")
        self.assert_reports("<assay/apps/options.hpp> is in no layer")

    def test_refuses_a_folder_that_no_layer_declares(self):
        self.write("stray/a.cpp", "int a;\n")
        self.write("stray/b.cpp", "int b;\n")
        self.assert_reports("folder 'stray' is no declared layer")

    def test_refuses_a_source_file_outside_any_layer(self):
        self.write("a.cpp", "int a;\n")
        self.assert_reports("folder '' is no declared layer")

    def test_refuses_heavy_headers_in_headers_but_not_in_sources(self):
        for target in ("nlohmann/json.hpp", "CLI/CLI.hpp", "boost/math/distributions.hpp", "toml++/toml.h",
                       "SQLiteCpp/SQLiteCpp.h", "sqlite3.h", "httplib.h", "openssl/evp.h", "zstd.h"):
            with self.subTest(target):
                self.write("os/heavy.hpp", f"#pragma once\n#include <{target}>\n")
                self.assert_reports(f"os/heavy.hpp:2: <{target}> may be included by .cpp files only")
        self.write("os/heavy.hpp", "#pragma once\n#include <nlohmann/json_fwd.hpp>\n")
        self.write("os/test_documents.hpp", "#pragma once\n#include <nlohmann/json.hpp>\n")
        self.write("os/heavy.cpp", "#include <nlohmann/json.hpp>\n#include <toml++/toml.h>\n")
        self.assert_clean()

    def test_keeps_third_parties_at_home(self):
        for target, home in (("SQLiteCpp/SQLiteCpp.h", "archive"), ("sqlite3.h", "archive"), ("CLI/CLI.hpp", "cli"),
                             ("boost/math/tools/roots.hpp", "stats"), ("zstd.h", "blob")):
            with self.subTest(target):
                self.write("os/a.cpp", f"#include <{target}>\n")
                self.assert_reports(f"os/a.cpp:1: <{target}> belongs to layer '{home}' alone")
        self.write("os/a.cpp", "")
        self.write("archive/a.cpp", "#include <SQLiteCpp/SQLiteCpp.h>\n#include <sqlite3.h>\n")
        self.assert_clean()

    def test_refuses_cycles(self):
        self.assert_reports("cycle base -> os -> base", {"base": ["os"], "os": ["base"]})

    def test_refuses_a_dependency_that_is_no_layer(self):
        graph = {"base": [], "os": ["base", "nothing"]}
        self.assert_reports("layer 'os' depends on 'nothing', which is no layer", graph)

    def test_holds_the_trust_table(self):
        graph = {"base": [], "os": ["base"], "tensor": ["base"], "device": ["os", "tensor"], "worker": ["device"]}
        self.assert_reports("layer 'worker' must never reach 'tensor'", graph)
        graph = {"base": [], "os": ["base"], "archive": ["base"], "verify": ["archive"], "evaluate": ["verify"]}
        self.assert_reports("layer 'evaluate' must never reach 'archive'", graph)

    def test_an_empty_tree_is_no_success(self):
        with tempfile.TemporaryDirectory() as empty:
            self.root = pathlib.Path(empty)
            self.assert_reports("no source file")

    def test_wrong_usage(self):
        with contextlib.redirect_stderr(io.StringIO()) as complaint:
            self.assertEqual(check_layers.main(["one"]), 2)
        self.assertIn("usage", complaint.getvalue())


if __name__ == "__main__":
    unittest.main()
