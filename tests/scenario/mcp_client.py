"""The official Python client of MCP (the package `mcp` that deps/pip.txt pins) talks to `assay mcp` in both eras of the protocol:
it holds every answer against the protocol's models and the tools' own output schemas. Skipped, with the reason, where the package
could not be installed; with ASSAY_NO_SKIPS=1 that is a failure."""

import asyncio
import glob
import importlib.machinery
import os
import sys
import unittest
from pathlib import Path

import agent_play
import assay_scenario as scenario

ENVIRONMENT = Path(os.environ.get("ASSAY_PYTHON_ENVIRONMENT", scenario.REPOSITORY / "build" / "python" / "venv"))
TOOLS = ["get_task", "get_state", "submit_candidate", "wait_for_job", "get_result", "get_profile", "compare",
         "list_failed_routes", "search_history", "propose_hypothesis"]


def load_package():
    """Returns the package, or the reason why it cannot be had."""
    folders = glob.glob(str(ENVIRONMENT / "lib" / "python3*" / "site-packages"))
    if importlib.machinery.PathFinder.find_spec("mcp", folders) is None:
        return None, f"{ENVIRONMENT} holds no mcp: run ./dev setup test"
    sys.path[:0] = folders
    try:
        import mcp
    except ImportError as error:
        return None, f"mcp in {ENVIRONMENT} cannot be imported by Python {sys.version.split()[0]}: {error}"
    return mcp, ""


MCP, REASON = load_package()


class OfficialClientTest(scenario.Scenario):
    def setUp(self):
        if MCP is None:
            if os.environ.get("ASSAY_NO_SKIPS") == "1":
                self.fail(REASON)
            self.skipTest(REASON)
        super().setUp()
        self.small = self.dataset(1)

    def server(self, *options):
        arguments = ["mcp", "--campaign", "night", "--archive", self.archive, "--dataset", self.small, "--policy",
                     self.policy(), "--device", "simulated:7", *options]
        return MCP.StdioServerParameters(command=str(scenario.PROGRAMS / "assay"), args=list(map(str, arguments)),
                                         env={"ASSAY_BUILD_CACHE": str(self.shared_cache), "PATH": os.environ["PATH"]},
                                         cwd=str(self.folder))

    async def converse(self, mode, version):
        told = []

        async def progress(done, total, message):
            told.append((done, message))

        async def ask(name, arguments=None, **options):
            result = await client.call_tool(name, arguments, **options)
            self.assertFalse(result.is_error, result.content)
            return result.structured_content

        async with MCP.Client(self.server(), mode=mode) as client:
            self.assertEqual(client.protocol_version, version)
            self.assertEqual(client.server_info.name, "assay")
            self.assertIn("submit_candidate", client.instructions)
            tools = (await client.list_tools()).tools
            self.assertEqual([tool.name for tool in tools], TOOLS)
            for tool in tools:
                self.assertFalse(tool.annotations.destructive_hint)
                self.assertIsNotNone(tool.output_schema)
            task = await ask("get_task")
            self.assertEqual(task["definition"]["name"], scenario.DEFINITION)
            stated = await ask("propose_hypothesis", {"regime": "all", "limiting_resource": "memory",
                                                      "change": "blocks", "predicted_effect": "3x"})
            sources = [{"path": "kernel.cpp", "content": agent_play.FASTER.read_text() + f"// {mode}\n"}]
            job = (await ask("submit_candidate", {"sources": sources, "hypothesis": stated["hypothesis"]}))["job"]
            answer = {"judged": False}
            while not answer["judged"]:
                answer = await ask("wait_for_job", {"job": job, "max_seconds": 50}, progress_callback=progress)
            for name, arguments in (("get_state", {}), ("get_result", {"job": job}), ("get_profile", {"candidate": 1}),
                                    ("compare", {"first": 0, "second": 1}), ("list_failed_routes", {}),
                                    ("search_history", {"query": "blocks"})):
                await ask(name, arguments)
            wrong = await client.call_tool("get_result", {"job": "night-job-99"})
            self.assertTrue(wrong.is_error)
            with self.assertRaises(MCP.MCPError):
                await client.call_tool("approve", {})
            if mode == "legacy":
                await client.send_ping()
        self.assertEqual(told, sorted(told))
        return answer

    def test_in_both_eras(self):
        first = asyncio.run(self.converse("legacy", "2025-11-25"))
        self.assertIsNotNone(first["result"]["outcome"])
        second = asyncio.run(self.converse("auto", "2026-07-28"))
        self.assertEqual(second["result"]["outcome"], "duplicate", "the other era's candidate but for a comment")

    def test_a_wait_is_cancelled_by_its_time_limit_and_the_server_goes_on(self):
        async def converse():
            async with MCP.Client(self.server("--submissions", "2")) as client:
                sources = [{"path": "kernel.cpp", "content": agent_play.FASTER.read_text()}]
                job = (await client.call_tool("submit_candidate", {"sources": sources})).structured_content["job"]
                with self.assertRaises(MCP.MCPError):
                    await client.call_tool("wait_for_job", {"job": job, "max_seconds": 50}, read_timeout_seconds=0.05)
                return (await client.call_tool("get_state")).structured_content["campaign"]

        self.assertEqual(asyncio.run(converse()), "night")


if __name__ == "__main__":
    unittest.main(verbosity=2)
