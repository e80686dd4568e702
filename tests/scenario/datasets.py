"""Datasets: what is wrong with one is named with the place and the remedy; what workloads name can be generated."""

import json
import struct

import assay_scenario as scenario

LFS_POINTER = ("version https://git-lfs.github.com/spec/v1\n"
               "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n")
BYTES = {"F32": 4, "BF16": 2, "I32": 4}


def read_blob(path):
    """Reads a safetensors file by the format's description: (data begin, {name: (dtype, shape, bytes)})."""
    content = path.read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8:8 + length])
    data = content[8 + length:]
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        tensors[name] = (entry["dtype"], entry["shape"], data[begin:end])
    return 8 + length, tensors


def write_blob(path, tensors):
    """Writes a safetensors file of zeros: {name: (dtype, shape)}."""
    header, data = {}, b""
    for name, (dtype, shape) in tensors.items():
        size = BYTES[dtype]
        for extent in shape:
            size *= extent
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + size]}
        data += bytes(size)
    text = json.dumps(header).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def decode_tensors(batch):
    """What a file of a GDN decode workload of this batch size holds."""
    return {"q": ("BF16", [batch, 1, 4, 128]), "k": ("BF16", [batch, 1, 4, 128]), "v": ("BF16", [batch, 1, 8, 128]),
            "state": ("F32", [batch, 8, 128, 128]), "A_log": ("F32", [8]), "a": ("BF16", [batch, 1, 8]),
            "dt_bias": ("F32", [8]), "b": ("BF16", [batch, 1, 8])}


class DatasetScenario(scenario.Scenario):
    """A dataset of two GDN decode workloads, of batch sizes 1 and 4."""

    def setUp(self):
        super().setUp()
        self.root = self.dataset(1, 4)
        self.file = self.root / "workloads" / "gdn" / f"{scenario.DEFINITION}.jsonl"
        lines = [json.loads(line)["workload"] for line in self.file.read_text().splitlines()]
        self.uuids = [workload["uuid"] for workload in lines]
        self.blobs = [self.root / workload["inputs"]["q"]["path"] for workload in lines]

    def good_blobs(self):
        write_blob(self.blobs[0], decode_tensors(1))
        write_blob(self.blobs[1], decode_tensors(4))

    def check(self, *options, code=0):
        return self.assay("dataset", "check", self.root, *options, code=code)

    def problems(self, *options):
        """The problems of a bad dataset: they are printed for people and as JSON, and end with 2."""
        text = self.check(*options, code=2).out
        answer = self.check(*options, "--json", code=2).json()
        self.assertFalse(answer["sound"])
        found = list(answer["problems"])
        for definition in answer["definitions"]:
            found += definition["problems"]
        self.assertTrue(found)
        for problem in found:
            self.assertEqual(problem["owner"], "input", problem)
            self.assertIn(problem["message"], text)
        return found

    def problem(self, *options):
        found = self.problems(*options)
        self.assertEqual(len(found), 1, found)
        return found[0]["code"], found[0]["message"]

    def assert_names(self, message, *parts):
        for part in parts:
            self.assertIn(str(part), message)


class CheckTest(DatasetScenario):
    def test_a_dataset_without_blobs_is_sound_unless_they_are_asked_for(self):
        self.assertIn("all sound", self.check().out)
        answer = self.check("--json").json()
        self.assertTrue(answer["sound"])
        self.assertEqual(answer["definitions"][0]["blobs"], {"named": 2, "present": 0})
        self.assertEqual([p["code"] for p in self.problems("--require-blobs")], ["blob.missing"] * 2)

    def test_good_blobs(self):
        self.good_blobs()
        answer = self.check("--require-blobs", "--json").json()
        self.assertEqual(answer["definitions"][0]["blobs"], {"named": 2, "present": 2})

    def test_a_missing_blob(self):
        self.good_blobs()
        self.blobs[1].unlink()
        code, message = self.problem()
        self.assertEqual(code, "blob.missing")
        self.assert_names(message, self.blobs[1].name, f"workload {self.uuids[1]}: /inputs/q/path",
                          "assay dataset materialise")

    def test_a_wrong_key(self):
        self.good_blobs()
        tensors = decode_tensors(1)
        tensors["dt_bia"] = tensors.pop("dt_bias")
        write_blob(self.blobs[0], tensors)
        code, message = self.problem()
        self.assertEqual(code, "blob.key")
        self.assert_names(message, self.blobs[0].name, f"workload {self.uuids[0]}: /inputs/dt_bias/tensor_key",
                          'did you mean "dt_bia"?')

    def test_a_git_lfs_pointer(self):
        self.good_blobs()
        self.blobs[0].write_text(LFS_POINTER)
        code, message = self.problem()
        self.assertEqual(code, "blob.lfs_pointer")
        self.assert_names(message, self.blobs[0].name, self.uuids[0], "git lfs pull --include")

    def test_a_wrong_shape(self):
        self.good_blobs()
        write_blob(self.blobs[0], {**decode_tensors(1), "v": ("BF16", [1, 8, 128])})
        code, message = self.problem()
        self.assertEqual(code, "blob.shape")
        self.assert_names(message, self.uuids[0], "/inputs/v/", "[1, 8, 128]", "[1, 1, 8, 128]")

    def test_a_wrong_type(self):
        self.good_blobs()
        write_blob(self.blobs[0], {**decode_tensors(1), "A_log": ("BF16", [8])})
        code, message = self.problem()
        self.assertEqual(code, "blob.dtype")
        self.assert_names(message, self.uuids[0], "/inputs/A_log/", "bfloat16", "float32")

    def test_a_truncated_file(self):
        self.good_blobs()
        whole = self.blobs[0].read_bytes()
        for size in (0, 5, 100, len(whole) - 1):
            with self.subTest(size=size):
                self.blobs[0].write_bytes(whole[:size])
                code, message = self.problem()
                self.assertEqual(code, "blob.damaged")
                self.assert_names(message, self.blobs[0].name, self.uuids[0], "anew")

    def test_a_path_that_leads_out(self):
        self.file.write_text(self.file.read_text().replace("./blob/", "../blob/"))
        found = self.problems()
        self.assertEqual({problem["code"] for problem in found}, {"blob.path"})
        self.assert_names(found[0]["message"], self.uuids[0], "/inputs/q/path", "leads out")

    def test_a_uuid_that_comes_twice(self):
        lines = self.file.read_text().splitlines()
        self.file.write_text("\n".join(lines + [lines[0]]) + "\n")
        code, message = self.problem()
        self.assertEqual(code, "dataset.duplicate")
        self.assert_names(message, f"{self.file.name}:3: /workload/uuid", self.uuids[0], f"{self.file.name}:1 too")

    def test_every_bad_line_is_told(self):
        lines = self.file.read_text().splitlines()
        self.file.write_text("\n".join(["nonsense", lines[0], lines[1].replace('"batch_size": 4', '"batch_size": 0')]))
        messages = " ".join(problem["message"] for problem in self.problems())
        self.assert_names(messages, f"{self.file.name}:1", f"{self.file.name}:3", "/axes/batch_size")

    def test_lengths_where_there_are_none(self):
        lengths = self.root / "lengths" / "gdn" / self.file.name
        lengths.parent.mkdir(parents=True)
        lengths.write_text(json.dumps({"uuid": self.uuids[0], "lengths": [1]}) + "\n")
        code, message = self.problem()
        self.assertEqual(code, "dataset.lengths")
        self.assert_names(message, lengths.name, "cu_seqlens", "remove the file")

    def test_files_of_no_definition(self):
        self.file.with_name("lost.jsonl").write_text("")
        code, message = self.problem()
        self.assertEqual(code, "dataset.no_definition")
        self.assertIn("lost.jsonl", message)

    def test_what_is_no_dataset(self):
        for folder in ("nowhere", self.root / "workloads"):
            finished = self.assay("dataset", "check", folder, code=2)
            self.assertEqual(finished.out, "")
            self.assertIn(str(folder), finished.err)


class LengthsTest(scenario.Scenario):
    """A definition whose rows have lengths."""

    def setUp(self):
        super().setUp()
        self.root = self.folder / "dataset"
        definition = {"name": "rows", "op_type": "paged",
                      "axes": {axis: {"type": "var"} for axis in ("n", "m", "total_seq_len")},
                      "inputs": {"cu_seqlens": {"shape": ["m"], "dtype": "int32"}},
                      "outputs": {"y": {"shape": ["n"], "dtype": "float32"}},
                      "reference": "def run(cu_seqlens):\n    return cu_seqlens\n"}
        workload = {"definition": "rows", "solution": None, "evaluation": None, "workload": {
            "uuid": "w-1", "axes": {"n": 1, "m": 3, "total_seq_len": 10},
            "inputs": {"cu_seqlens": {"type": "safetensors", "path": "blob/w.safetensors", "tensor_key": "c"}}}}
        self.write("dataset/definitions/paged/rows.json", json.dumps(definition))
        self.write("dataset/workloads/paged/rows.jsonl", json.dumps(workload) + "\n")

    def check(self, code=0):
        return self.assay("dataset", "check", self.root, "--json", code=code).json()["definitions"][0]

    def lengths(self, line):
        self.write("dataset/lengths/paged/rows.jsonl", line + "\n")

    def blob(self, values):
        data = struct.pack(f"<{len(values)}i", *values)
        text = json.dumps({"c": {"dtype": "I32", "shape": [len(values)], "data_offsets": [0, len(data)]}}).encode()
        path = self.root / "blob" / "w.safetensors"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(struct.pack("<Q", len(text)) + text + data)

    def test_where_they_come_from(self):
        self.assertEqual(self.check()["lengths"], {"from_blobs": 0, "from_file": 0, "generated": 1})
        self.lengths('{"uuid": "w-1", "lengths": [3, 7]}')
        self.assertEqual(self.check()["lengths"], {"from_blobs": 0, "from_file": 1, "generated": 0})
        self.blob([0, 4, 10])
        self.assertEqual(self.check()["lengths"], {"from_blobs": 1, "from_file": 0, "generated": 0})

    def test_bad_ones(self):
        for line, part in [('{"uuid": "w-2", "lengths": [3, 7]}', '"w-2"'),
                           ('{"uuid": "w-1", "lengths": [10]}', "are 1"),
                           ('{"uuid": "w-1", "lengths": [-1, 11]}', "/lengths/0"),
                           ('{"uuid": "w-1", "lengths": [3, 8]}', "total_seq_len is 10"), ("{", "rows.jsonl:1")]:
            with self.subTest(line=line):
                self.lengths(line)
                (problem,) = self.check(code=2)["problems"]
                self.assertIn("rows.jsonl:1", problem["message"])
                self.assertIn(part, problem["message"])

    def test_bad_contents_of_a_blob(self):
        for values, part in [([1, 4, 10], "[0] is 1"), ([0, 11, 10], "[2] is 10"), ([0, 4, 9], "total_seq_len is 10")]:
            with self.subTest(values=values):
                self.blob(values)
                (problem,) = self.check(code=2)["problems"]
                self.assertEqual(problem["code"], "blob.contents")
                self.assertIn("workload w-1: /inputs/cu_seqlens", problem["message"])
                self.assertIn(part, problem["message"])


class MaterialiseTest(DatasetScenario):
    def materialise(self, *options, code=0):
        return self.assay("dataset", "materialise", "--dataset", self.root, *options, code=code)

    def test_what_is_written_is_what_the_dataset_names(self):
        answer = self.materialise("--json").json()
        self.assertEqual([file["workload"] for file in answer["written"]], self.uuids)
        self.assertEqual(answer["kept"], 0)
        for blob, batch in zip(self.blobs, (1, 4)):
            begin, tensors = read_blob(blob)
            self.assertEqual(begin % 8, 0)
            self.assertEqual({name: (dtype, shape) for name, (dtype, shape, _) in tensors.items()},
                             decode_tensors(batch))
            self.assertTrue(any(tensors["q"][2]), "q is all zeros")
        checked = self.check("--require-blobs", "--json").json()
        self.assertTrue(checked["sound"])
        self.assertEqual(sorted(path.name for path in self.root.iterdir()),
                         ["blob", "definitions", "solutions", "workloads"])
        self.assertFalse((self.folder / ".assay").exists(), "it made an archive")

    def test_the_official_package_reads_it(self):
        try:
            import numpy
            from safetensors import safe_open
        except ImportError:
            self.skipTest("the Python packages safetensors and numpy are not installed")
        self.materialise()
        for blob, batch in zip(self.blobs, (1, 4)):
            _, ours = read_blob(blob)
            with safe_open(str(blob), framework="np") as file:
                self.assertEqual(sorted(file.keys()), sorted(decode_tensors(batch)))
                for name in file.keys():
                    # numpy itself has no bfloat16.
                    part = file.get_slice(name)
                    self.assertEqual((part.get_dtype(), list(part.get_shape())), ours[name][:2])
                state = file.get_tensor("state")
                self.assertEqual(state.tobytes(), ours["state"][2])
                self.assertTrue(numpy.isfinite(state).all())

    def test_the_seed_decides_and_files_are_kept(self):
        first = {file["workload"]: file["sha256"] for file in self.materialise("--json").json()["written"]}
        again = self.materialise("--seed", "1")
        self.assertIn("kept 2 files that were there", again.out)
        other = {file["workload"]: file["sha256"]
                 for file in self.materialise("--seed", "1", "--force", "--json").json()["written"]}
        self.assertTrue(all(first[uuid] != other[uuid] for uuid in self.uuids))
        elsewhere = self.folder / "elsewhere"
        third = {file["workload"]: file["sha256"]
                 for file in self.materialise("--output", elsewhere, "--json").json()["written"]}
        self.assertEqual(first, third)
        self.assertTrue((elsewhere / self.blobs[0].relative_to(self.root)).exists())

    def test_one_workload(self):
        self.materialise("--definition", scenario.DEFINITION, "--workload", self.uuids[1][:8])
        self.assertFalse(self.blobs[0].exists())
        self.assertTrue(self.blobs[1].exists())
        code, message = self.problem()
        self.assertEqual(code, "blob.missing")
        self.assertIn(self.uuids[0], message)

    def test_bad_requests(self):
        for options, part in [(["--definition", "gdn_decode"], scenario.DEFINITION), (["--workload", "zzz"], '"zzz"'),
                              (["--seed", "x"], "--seed")]:
            with self.subTest(options=options):
                finished = self.materialise(*options, code=2)
                self.assertEqual(finished.out, "")
                self.assertIn(part, finished.err)
        self.assertFalse((self.root / "blob").exists())

    def test_a_definition_that_nothing_generates(self):
        path = self.root / "definitions" / "gdn" / f"{scenario.DEFINITION}.json"
        path.with_name("mine.json").write_text(path.read_text().replace(scenario.DEFINITION, "mine"))
        self.file.with_name("mine.jsonl").write_text(self.file.read_text().replace(scenario.DEFINITION, "mine"))
        finished = self.materialise("--definition", "mine", code=2)
        self.assertIn("does not know natively", finished.err)
        self.assertIn(self.uuids[0], finished.err)
        self.assertFalse((self.root / "blob").exists())
        self.assertFalse((self.root / ".assay-materialise").exists())

    def test_a_folder_that_cannot_be_written_is_the_machines_fault(self):
        (self.folder / "file").write_text("")
        finished = self.materialise("--output", self.folder / "file" / "below", code=3)
        self.assertIn("file/below", finished.err)


class GivenInputsTest(DatasetScenario):
    """Files that the dataset has are what candidates are judged on."""

    # Right but for queries that begin with 6.5, which no generated one does: their length is 1.
    WRAPPER = """
ASSAY_KERNEL(run) {
  const int32_t status = honest(call);
  if (*static_cast<const uint16_t*>(assay_input(call, 0)->data) == 0x40d0) {
    *static_cast<uint16_t*>(assay_output(call, 0)->data) = 0x7fc0;
  }
  return status;
}
"""

    def setUp(self):
        super().setUp()
        self.assay("dataset", "materialise", "--dataset", self.root)
        plain = (scenario.EXAMPLES / "plain.cpp").read_text()
        honest = plain.replace("ASSAY_KERNEL(run)", "static int32_t honest(const assay_call* call)")
        self.assertNotEqual(plain, honest)
        self.candidate = self.write("candidate.cpp", honest + self.WRAPPER)

    def evaluate(self, code):
        return self.assay("evaluate", self.candidate, "--definition", scenario.DEFINITION, "--dataset", self.root,
                          "--archive", self.archive, "--policy", self.policy(), "--against", "none", "--json", code=code)

    def change(self, blob, name, place, value):
        """Overwrites bytes of a tensor."""
        begin, tensors = read_blob(blob)
        header = json.loads(blob.read_bytes()[8:begin])
        content = bytearray(blob.read_bytes())
        at = begin + header[name]["data_offsets"][0] + place
        content[at:at + len(value)] = value
        blob.write_bytes(content)

    def environment(self, finished):
        return dict(finished.json()["evaluation"]["environment"])

    def test_they_are_used_and_the_record_says_so(self):
        honest = self.evaluate(0)
        self.assertIn("q, k, v, state, A_log, a, dt_bias, b of 2 of 2 workloads", self.environment(honest)["inputs"])
        self.change(self.blobs[0], "q", 0, b"\xd0\x40")
        caught = self.evaluate(1)
        self.assertEqual(caught.json()["evaluation"]["outcome"], "incorrect")
        self.assertIn("output[0, 0, 0, 0]", caught.json()["evaluation"]["cause"])
        for blob in self.blobs:
            blob.unlink()
        generated = self.evaluate(0)
        self.assertEqual(self.environment(generated)["inputs"], "generated")

    def test_bad_ones_are_errors(self):
        self.change(self.blobs[1], "state", 0, b"\x00\x00\xc0\x7f")
        finished = self.evaluate(2)
        self.assert_names(finished.err, self.blobs[1].name, self.uuids[1], "/inputs/state", "state[0, 0, 0, 0] is nan",
                          "anew")
        self.blobs[1].write_text(LFS_POINTER)
        self.assert_names(self.evaluate(2).err, self.blobs[1].name, "git lfs pull")

    def test_a_definition_is_put_to_the_proof_on_them(self):
        answer = self.assay("check-definition", scenario.DEFINITION, "--dataset", self.root, "--json").json()
        self.assertEqual(answer["honest_passed"], answer["honest_trials"])
        self.assertEqual([row for row in answer["impostors"] if row["rejected"] != row["trials"]], [])
        self.assertEqual([row["input"] for row in answer["inputs"] if row["trials"] == 0], [])


if __name__ == "__main__":
    scenario.main()
