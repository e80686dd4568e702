"""What scenarios with played agents share: copies of fake_agent that carry their script and their files."""

import assay_scenario as scenario

FAKE_AGENT = scenario.PROGRAMS / "fake_agent"
STREAMS = scenario.REPOSITORY / "tests" / "data" / "agent_streams"
DIALOGUES = scenario.REPOSITORY / "tests" / "data" / "mcp_dialogues"
FASTER = scenario.EXAMPLES / "tunable.cpp"  # Faster than the slow baseline, without a tuner too.


def slow_baseline(folder):
    """Writes the baseline with its work done eight times over: what is faster than it, is so on a busy machine too."""
    loop = "for (int64_t h = 0; h < heads; ++h) {"
    text = (scenario.EXAMPLES / "plain.cpp").read_text()
    assert text.count(loop) == 1
    path = folder / "slow.cpp"
    path.write_text(text.replace(loop, "for (int64_t n = 0; n < 8 * heads; ++n) {\n    const int64_t h = n % heads;"))
    return path


def carrying(path, script, **files):
    """Writes a copy of fake_agent that carries a script and files by their names, behind its own bytes."""
    program = FAKE_AGENT.read_bytes()
    payload = b""
    for name, content in {"script": script.encode(), **files}.items():
        payload += f"{name} {len(content)}\n".encode() + content
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(program + payload + f"{len(program):016d}".encode() + b"FAKEAGENT")
    path.chmod(0o755)
    return path


def stream(agent, name):
    return (STREAMS / agent / f"{name}.stdout.jsonl").read_bytes()


def written_at(agent, recorded):
    """How far a recorded stream is when its agent has begun to work: after its first two lines."""
    return len(b"".join(recorded.splitlines(keepends=True)[:2]))
