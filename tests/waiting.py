"""Wait for an event, not for seconds: other processes may have the machine."""

import time

PATIENCE = 240.0  # seconds: only what would never come takes as long


def wait_until(has_come, process=None):
    """Wait until a condition is true, as long as a process that must bring it about runs."""
    end = time.monotonic() + PATIENCE
    while not has_come():
        assert process is None or process.poll() is None, "the process ended before"
        assert time.monotonic() < end, f"it has not come in {PATIENCE} seconds"
        time.sleep(0.02)
