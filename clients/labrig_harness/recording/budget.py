"""The calls that are left to a session."""

from __future__ import annotations

from labrig_harness.recording.recorder import Recorder
from labrig_harness.recording.wire import (
    Message,
    error_result,
)


class Budget:
    """Calls that are left to a session."""

    def __init__(self, most: int | None) -> None:
        self.most = most
        self._made = 0

    def take(self) -> bool:
        """Take one call; False when none is left."""
        self._made += 1
        return self.most is None or self._made <= self.most

    def refusal(self, recorder: Recorder) -> Message:
        """Note that the budget is used up and return what the agent is told."""
        recorder.course.over_budget = True
        return error_result(
            f"The budget of {self.most} tool calls is used up. No further call is made: answer now."
        )
