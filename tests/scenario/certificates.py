"""A promotion is proved to somebody who has nothing but its certificate, and an edited one is refused by name."""

import json
import shutil
import sqlite3

import assay_scenario as scenario


class CertificateTest(scenario.Scenario):
    def setUp(self):
        super().setUp()
        self.small = self.dataset(1)
        self.certificate = self.folder / "certificate"
        self.at = None

    def campaign_with_a_promotion(self):
        """On a simulated clock a variant's speed is chance: takes the first of a few devices where one wins."""
        for seed in range(1, 9):
            self.at = ["--archive", self.folder / f"archive-{seed}"]
            self.assay("campaign", "run", "tune", "--dataset", self.small, *self.at, "--tunable", scenario.TUNABLE,
                       "--rounds", "1", "--per-round", "4", "--device", f"simulated:{seed}",
                       "--policy", self.policy(stress_trials=0))
            status = self.assay("campaign", "status", "tune", *self.at, "--json").json()
            if status["incumbent"] is not None:
                return status
        self.fail("no variant wins on any of eight simulated devices")

    def verify(self, *arguments, code=0):
        return self.assay("verify-certificate", self.certificate, *arguments, code=code)

    def refused(self, path, text, *mentioned):
        """Writes the file otherwise, expects a refusal that mentions these, and writes it back."""
        file = self.certificate / path
        before = file.read_bytes()
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        finished = self.verify(code=1)
        for one in mentioned:
            self.assertIn(one, finished.out)
        file.write_bytes(before)

    def edited(self, path, change):
        document = json.loads((self.certificate / path).read_text())
        change(document)
        return json.dumps(document, indent=2, ensure_ascii=False) + "\n"

    def test_from_the_campaign_to_whoever_checks_it(self):
        status = self.campaign_with_a_promotion()
        written = self.assay("certificate", "tune", "--output", self.certificate, *self.at)
        self.assertIn("assay verify-certificate", written.out)
        # Offline: without the archive, the dataset and the build cache.
        kept = shutil.move(str(self.at[1]), str(self.folder / "moved-away"))
        finished = self.verify()
        self.assertIn("holds", finished.out)
        document = json.loads((self.certificate / "certificate.json").read_text())
        self.assertEqual(document["candidate"]["number"], status["incumbent"])
        self.assertEqual(document["promotion"]["by"], "policy scenario")
        self.assertEqual(document["confirmation"]["decision"]["workloads"], 1)
        self.assertIn("# Certificate: ", (self.certificate / "certificate.md").read_text())
        self.assertEqual(self.verify("--json").json()["differences"], [])

        # Against an archive: its own has the links, one whose chain was changed has not.
        self.verify("--against", kept)
        database = sqlite3.connect(f"{kept}/archive.sqlite")
        with database:
            database.execute("UPDATE decisions SET digest = ? WHERE number = (SELECT max(number) FROM decisions)",
                             ("a" * 64,))
        database.close()
        finished = self.verify("--against", kept, code=1)
        self.assertIn("a" * 64, finished.out)
        problems = self.assay("archive", "verify", "--archive", kept, "--json", code=3).json()["problems"]
        self.assertTrue(any(problem.startswith("decision ") for problem in problems), problems)

        self.refused("certificate.json", self.edited("certificate.json", lambda c: c["promotion"].update(by="Eve")),
                     "/promotion/by", "Eve", "policy scenario")
        self.refused("certificate.json",
                     self.edited("certificate.json", lambda c: c["sweep"]["test"].update(log_e_value=99.5)),
                     "/sweep/test/log_e_value", "99.5")
        self.refused("certificate.json", self.edited("certificate.json", lambda c: c["chain"][0].update(at="2020")),
                     "/chain/0/at", "2020")
        samples = json.loads((self.certificate / "sweep/samples.json").read_text())
        samples["elapsed_ns"][5] += 1
        self.refused("sweep/samples.json", json.dumps(samples, separators=(",", ":")), "sweep/samples.json: ",
                     f"the samples of process pair {samples['pair'][5]}")
        for file in sorted(path for path in self.certificate.rglob("*") if path.is_file()):
            if file.name != "certificate.json":
                name = str(file.relative_to(self.certificate))
                content = bytearray(file.read_bytes()) or bytearray(b"x")  # A log may be empty.
                content[len(content) // 2] ^= 1
                self.refused(name, bytes(content), f"{name}: ")
        self.verify()

        (self.certificate / "certificate.json").write_text("{")
        self.assertIn("certificate.json", self.verify(code=2).err)
        shutil.rmtree(self.certificate)
        self.assertIn(str(self.certificate), self.verify(code=2).err)

    def test_without_a_promotion_there_is_nothing_to_certify(self):
        self.at = ["--archive", self.archive]
        self.assay("campaign", "run", "tune", "--dataset", self.small, *self.at, "--also",
                   scenario.EXAMPLES / "bad" / "does_not_compile.cpp", "--device", "simulated:1", "--policy",
                   self.policy(stress_trials=0))
        finished = self.assay("certificate", "tune", "--output", self.certificate, *self.at, code=2)
        self.assertIn("nothing to certify", finished.err)
        self.assertFalse(self.certificate.exists())


if __name__ == "__main__":
    scenario.main()
