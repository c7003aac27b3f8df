"""The command `benchwright`, and `python -m benchwright`."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType


class _Ended(BaseException):
    """Somebody ended the process by a signal; whoever writes takes its drafts away on the way out."""


def run() -> None:
    """The command line as a process of its own, which it ends: 2 if what was printed could not be written.

    Stopped by a signal it ends with 128 and the number of the signal, as shells have it.
    """
    ending = 0

    def end(number: int, _: FrameType | None) -> None:
        nonlocal ending
        ending = number
        signal.signal(number, signal.SIG_IGN)
        raise _Ended

    for number in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
        if signal.getsignal(number) is signal.SIG_DFL:  # `nohup` ignores it
            signal.signal(number, end)
    try:
        # Here, since people stop a command while it is imported too.
        from benchwright.cli.main import main

        main()
        code: object = 0
    except SystemExit as stop:
        code = stop.code
    except (KeyboardInterrupt, _Ended):
        code = 128 + (ending or signal.SIGINT)
        os.write(2, b"error: stopped; no file was left half written\n")
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
