"""The process of a host: `python -P -m runtime.host --class ID`."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import signal
import sys

import teachrun
from runtime import paths
from runtime.host import class_lock, hanging_disk
from runtime.host.server import Host

# Many ranks make much that lives for a few steps. By Python's own numbers a tenth of the time for 1,024 of
# them went into looking for circles, up to 50 ms at once, in which no key is heard.
COLLECT_AT = (20_000, 20, 50)


async def serve(class_id: str) -> int:
    """Run the host until it is ended; returns the exit code."""
    host = Host(class_id)
    loop = asyncio.get_running_loop()
    for name in ("SIGTERM", "SIGINT"):
        loop.add_signal_handler(getattr(signal, name), host.ended.set)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    await host.start()
    await host.ended.wait()
    left = await host.close("the host was ended")
    return 1 if left else 0


def main() -> int:
    """Run the host of one class, unless it has one already; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -P -m runtime.host")
    parser.add_argument("--class", dest="class_id", required=True)
    class_id = parser.parse_args().class_id
    if not paths.valid_class_id(class_id):
        print(f"not a class id: {class_id!r}", file=sys.stderr)
        return 2
    teachrun.be_quick()
    gc.freeze()  # what was imported stays
    gc.set_threshold(*COLLECT_AT)
    try:
        held = class_lock.lock(class_id)
        if held is None:
            print(f"class {class_id} has a host already", file=sys.stderr)
            return 0
        class_lock.remove_leftovers()
        with held, contextlib.suppress(KeyboardInterrupt):
            try:
                return asyncio.run(serve(class_id))
            finally:
                hanging_disk.settle()
                paths.lock_file(class_id).unlink(missing_ok=True)
                paths.leave_short()
    except OSError as error:
        print(f"the host cannot run: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
