"""The command `benchwright`, and `python -m benchwright`."""

from __future__ import annotations

import os
import sys

from benchwright.cli.main import main


def run() -> None:
    """The command line as a process of its own, which it ends: 2 if what was printed could not be written."""
    try:
        main()
        code: object = 0
    except SystemExit as stop:
        code = stop.code
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (BrokenPipeError, ValueError):  # the reader left, as `| head` does; the stream was closed then
            pass
        except OSError as failure:
            print(f"error: {stream.name}: {failure.strerror}", file=sys.stderr)
            code = 2
    # A thread of Arrow that still lets go of memory of Python while the interpreter is torn down aborts the process
    # after all is done (apache/arrow issues 34314 and 45017): leave without that.
    os._exit(code if isinstance(code, int) else 0 if code is None else 1)


if __name__ == "__main__":
    run()
