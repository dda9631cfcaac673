"""Processes with torch in memory for a few milliseconds each: every one may change torch as it likes.

One process imports what costs seconds and starts no thread; each script runs in a fork of it, as if an
interpreter had started it, but for its modules that are there already.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SERVER = """
import io, json, os, signal, sys, traceback
import torch, torch._dynamo, torch.distributed, torch.nn.parallel, torch.utils.data
torch.set_num_threads(1)
assert len(os.listdir("/proc/self/task")) == 1, "not to be forked"
for line in sys.stdin:
    ask = json.loads(line)
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        os.environ |= ask["environ"]
        for fd, path in ((0, os.devnull), (1, ask["out"]), (2, ask["err"])):
            os.dup2(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), fd)
        sys.stdin, sys.argv, code = io.StringIO(), ["-c"], 0
        main = type(sys)("__main__")
        sys.modules["__main__"] = main
        try:
            exec(compile(ask["script"], "<script>", "exec"), vars(main))
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        except BaseException:
            traceback.print_exc()
            code = 1
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    try:
        os.killpg(pid, signal.SIGKILL)  # what it left behind
    except ProcessLookupError:
        pass
    print(code, flush=True)
"""


class WarmPython:
    def __init__(self) -> None:
        self._server = subprocess.Popen(
            [sys.executable, "-P", "-W", "ignore", "-c", SERVER],
            env=os.environ | {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def run(self, script: str, **environ: str) -> subprocess.CompletedProcess[str]:
        """What `python -c script` gives."""
        assert self._server.stdin is not None and self._server.stdout is not None
        with tempfile.TemporaryDirectory() as folder:
            out, err = Path(folder, "out"), Path(folder, "err")
            ask = {"script": script, "environ": environ, "out": str(out), "err": str(err)}
            self._server.stdin.write(json.dumps(ask) + "\n")
            self._server.stdin.flush()
            code = int(self._server.stdout.readline())
            return subprocess.CompletedProcess([], code, out.read_text(), err.read_text())

    def close(self) -> None:
        self._server.kill()
        self._server.wait()
