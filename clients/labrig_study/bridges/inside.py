"""What runs in the containers of an exported task: ``python -m labrig_study.bridges.inside solve`` and ``verify``."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from pathlib import Path

from labrig.errors import LabrigError
from labrig_study.bridges.episode import Episode


def main(argv: list[str] | None = None) -> int:
    """Run one of the two; a problem is said on standard error, and no reward is written."""
    parser = argparse.ArgumentParser(prog="labrig_study.bridges.inside")
    verbs = parser.add_subparsers(dest="verb", required=True)
    solve = verbs.add_parser("solve", help="play the reference solution at the task's server")
    solve.add_argument("episode", type=Path)
    solve.add_argument("url")
    solve.add_argument("answer", type=Path, help="where the last message is written, if there is one")
    verify = verbs.add_parser("verify", help="score what the server saw, and write the reward")
    verify.add_argument("episode", type=Path)
    verify.add_argument("calls", type=Path)
    verify.add_argument("workspace", type=Path)
    verify.add_argument("answer", type=Path)
    verify.add_argument("reward", type=Path)
    arguments = parser.parse_args(argv)
    try:
        episode = Episode.read(arguments.episode)
        if arguments.verb == "solve":
            if said := asyncio.run(episode.solve(arguments.url)):
                arguments.answer.write_text(said, encoding="utf-8")
            return 0
        answer = arguments.answer
        last = answer.read_text(encoding="utf-8", errors="replace") if answer.is_file() else ""
        score = episode.score(arguments.calls, arguments.workspace, last)
    except LabrigError as error:
        print(f"labrig: {error}", file=sys.stderr)
        return 1
    rewards = {"reward": score.strict, "compat": score.compat}
    arguments.reward.write_text(json.dumps(rewards), encoding="utf-8")
    print(f"answer {score.answer!r}: {rewards}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
