"""A file that a cluster takes: written for its owner alone, shown, and handed over when asked."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from runtime import atomic_write
from runtime.cluster import kubernetes, refused_submission, slurm
from slides.drawing.cells import clean
from tui.command_line.exit_codes import DONE, FAILED
from tui.command_line.refusals import complain

_ABSENT = {
    slurm.PROGRAM: "submit the file on a login node of the cluster: `sbatch {file}`",
    kubernetes.PROGRAM: "install kubectl, or apply the file where it is: `kubectl apply -f {file}`",
}

_MOST = 1 << 14  # characters of what it says


def write(file: Path, whole: str, shown: str, *, to: TextIO | None = None) -> int:
    """Write the file for its owner alone, and show it; a file with something else in it stays.

    `to`: where it is shown (None: standard output). Returns an exit status.
    """
    try:
        if file.exists() and file.read_bytes() != whole.encode():
            return complain(f"{clean(str(file))} exists with other content: use another --out")
        with atomic_write.whole(file, 0o600) as opened:
            opened.write(whole.encode())
    except OSError as error:
        return complain(f"{clean(str(file))} cannot be written: {error.strerror}", FAILED)
    print("\n".join(clean(line) for line in shown.splitlines()), file=to or sys.stdout)
    if whole != shown:
        print(f"teachrun: secrets are shown as ***; {clean(str(file))} has them", file=sys.stderr)
    return DONE


def _taking(program: str, file: Path) -> Sequence[str]:
    return (program, str(file)) if program == slurm.PROGRAM else (program, "apply", "-f", str(file))


def not_yet(program: str, file: Path) -> int:
    """Say how it is handed over by hand; the exit status."""
    line = clean(shlex.join(_taking(program, file)))
    print(f"teachrun: written to {clean(str(file))}, not submitted: `{line}` does it", file=sys.stderr)
    return DONE


def submit(program: str, file: Path, *, to: TextIO | None = None) -> int:
    """Hand it over; the exit status. `to`: where the program's words go (None: standard output)."""
    if shutil.which(program) is None:
        mend = _ABSENT[program].format(file=clean(str(file)))
        return complain(f"{program} is not installed here: {mend}", FAILED)
    sys.stdout.flush()
    said = ""
    with subprocess.Popen(
        _taking(program, file), stdin=subprocess.DEVNULL, stdout=to, stderr=subprocess.PIPE, text=True,
        errors="replace",
    ) as taking:  # fmt: skip
        assert taking.stderr is not None
        for line in taking.stderr:  # as they come: one that waits for its controller says so
            said = (said + line)[-_MOST:]
            print(clean(line.rstrip("\n")), file=sys.stderr, flush=True)
    if taking.returncode == 0:
        return DONE
    refusal = refused_submission.meaning(program, said, taking.returncode)
    return complain(f"{refusal.why}: {refusal.mend}", FAILED)
