"""Kernels without host code, launched as a plan says. All but the refusals need a GPU."""

import json
import os
import shutil
import unittest

import assay_scenario as scenario

KERNELS = scenario.EXAMPLES / "device_only.cu"
PLAN = scenario.EXAMPLES / "device_only.launch.json"


class RefusalTest(scenario.Scenario):
    def setUp(self):
        super().setUp()
        self.common = ["--dataset", self.dataset(1), "--archive", self.archive]

    def test_a_cpu_takes_no_kernels(self):
        finished = self.assay("evaluate", KERNELS, *self.common, code=2)
        self.assertIn("/spec/language", finished.err)

    def test_without_that_gpu_the_machine_is_at_fault(self):
        finished = self.assay("evaluate", KERNELS, *self.common, "--device", "cuda:255", "--against", "none", code=3)
        self.assertIn("environment", finished.err)

    def test_kernels_without_a_plan_are_told_of_it(self):
        alone = self.write("kernels.cu", KERNELS.read_text())
        finished = self.assay("evaluate", alone, *self.common, "--device", "cuda:0", code=2)
        self.assertIn("kernels.launch.json", finished.err)

    def test_it_is_a_solution_of_the_schema(self):
        packed = next(scenario.DATASET.rglob("gdn_decode_device_only_cuda.json"))
        finished = self.assay("validate", "--kind", "solution", packed, "--json")
        self.assertIn("launch.json::run", finished.out)


@unittest.skipUnless(os.path.exists("/dev/nvidia0"), "no CUDA device here: no kernels without host code are judged")
class DeviceOnlyTest(scenario.Scenario):
    TIMEOUT = 540

    def evaluate(self, kernel, *arguments, code=0):
        answer = self.assay("evaluate", kernel, "--dataset", self.dataset(1, 4), "--archive", self.archive, "--device",
                            "cuda:0", *arguments, "--json", code=code).json()
        return answer["evaluation"]

    def with_plan(self, change):
        """A copy of the example whose plan was changed."""
        plan = json.loads(PLAN.read_text())
        change(plan["run"])
        self.write("changed.launch.json", json.dumps(plan))
        return shutil.copy(KERNELS, self.folder / "changed.cu")

    def test_the_example_is_right_and_its_tier_recorded(self):
        evaluation = self.evaluate(KERNELS)
        self.assertIn(evaluation["outcome"], ("better", "not_better", "indistinguishable"), evaluation)
        self.assertEqual(evaluation["candidate_build"]["tier"], "device-only")
        self.assertEqual(evaluation["incumbent_build"]["tier"], "host+device")
        self.assertIn("incumbent_toolchain", evaluation["environment"])

    def test_it_passes_compute_sanitizer(self):
        evaluation = self.evaluate(KERNELS, "--sanitize")
        self.assertIn(evaluation["outcome"], ("better", "not_better", "indistinguishable"), evaluation)

    def test_scratch_memory_that_is_read_before_it_is_written_to_is_found(self):
        def read_behind(plan):
            plan["scratch_bytes"] = "batch_size * num_v_heads * 16"
            plan["launches"][1]["arguments"][4] = {"scratch": "batch_size * num_v_heads * 8"}

        evaluation = self.evaluate(self.with_plan(read_behind), code=1)
        self.assertEqual(evaluation["outcome"], "incorrect", evaluation)

    def test_a_plan_that_does_not_hold_is_not_built_and_says_where(self):
        evaluation = self.evaluate(self.with_plan(lambda plan: plan["launches"][1].update(block=[2048])), code=1)
        self.assertEqual(evaluation["outcome"], "not_built", evaluation)
        self.assertEqual(evaluation["findings"][0]["kind"], "launch_plan")
        self.assertIn("launch.json: /run/launches/1/block/0", evaluation["cause"])

    def test_a_missing_kernel_is_named(self):
        evaluation = self.evaluate(self.with_plan(lambda plan: plan["launches"][0].update(kernel="gate")), code=1)
        self.assertEqual(evaluation["outcome"], "not_built", evaluation)
        self.assertEqual(evaluation["findings"][0]["kind"], "kernel_missing")


if __name__ == "__main__":
    scenario.main()
