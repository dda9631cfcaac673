"""The manifest of an indexed Job: pod 0 to N-1, a torchrun in each, which meet at pod 0 by its name."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from pathlib import Path

from runtime.cluster.plan import PORT, Plan, continued
from runtime.launch.rank_environment import ONE_THREAD

PROGRAM = "kubectl"
SUFFIX = ".yaml"
NO_IMAGE = "YOUR-IMAGE"
_FOLDER = "/teachrun"  # where a script of a user's is in its pods
_KEY = re.compile(r"[-.\w]{1,253}", re.ASCII)  # what the key of a ConfigMap may be


def manifest(plan: Plan, image: str = NO_IMAGE, *, shown: bool = False) -> str:
    """Return the manifest of a plan.

    A script of a user's goes along, in a ConfigMap; a demo of ours is found by the teachrun in the image.

    Args:
        plan: What runs. Its script is read if it is a user's.
        image: The container image.
        shown: For people, with secrets taken out.

    Raises:
        OSError: The script cannot be read.
        UnicodeDecodeError: The script is not UTF-8.
    """
    name = plan.title
    own = Path(plan.script).name
    file = own if _KEY.fullmatch(own) else "script.py"
    in_pod = replace(
        plan,
        python="python",
        script=_kept(f"{_FOLDER}/{file}"),
        argv=tuple(map(_kept, plan.argv)),
        script_word=f'"$(teachrun path {shlex.quote(plan.name)})"' if plan.builtin else "",
    )
    torchrun = in_pod.torchrun(f"{name}-0.{name}:{PORT}", name, "$((JOB_COMPLETION_INDEX == 0))", shown=shown)
    command = _block(f"exec {continued(torchrun, '  ')}\n", 14)
    environment = "\n".join(
        f"            - {{name: {key}, value: {json.dumps(value)}}}" for key, value in ONE_THREAD.items()
    )
    gpus = f'\n              nvidia.com/gpu: "{plan.gpus}"  # a GPU a rank' if plan.gpus else ""
    mounts, volumes, config = "", "", ""
    if not plan.builtin:
        mounts = f"\n            - {{name: script, mountPath: {_FOLDER}}}"
        volumes = f"\n        - {{name: script, configMap: {{name: {name}}}}}"
        text = _block(Path(plan.script).read_text("utf-8"), 4)
        config = f"""# The script, as it stood when this was written.
apiVersion: v1
kind: ConfigMap
metadata: {{name: {name}}}
data:
  {json.dumps(file)}: {text}
---
"""
    needs = "torch and teachrun" if plan.builtin else "torch"
    return f"""{config}# A name for each pod: {name}-0.{name} is the first, where all meet.
apiVersion: v1
kind: Service
metadata: {{name: {name}}}
spec:
  clusterIP: None  # no address of its own
  publishNotReadyAddresses: true  # pods look for each other before they are ready
  selector: {{job-name: {name}}}
---
apiVersion: batch/v1
kind: Job
metadata: {{name: {name}}}
spec:
  completionMode: Indexed  # each pod knows its number: JOB_COMPLETION_INDEX
  completions: {plan.nodes}
  parallelism: {plan.nodes}  # all at once: no pod can train without the others
  backoffLimit: 0  # a pod that fails ends the job
  template:
    spec:
      subdomain: {name}  # makes the names of the pods known to the others
      restartPolicy: Never
      containers:
        - name: torchrun
          image: {json.dumps(image)}  # has python with {needs}
          command: [sh, -c]
          args:
            - {command}
          env:
{environment}
          resources:
            limits:
              cpu: "{plan.ranks}"  # a core a rank{gpus}
          volumeMounts:
            - {{name: shm, mountPath: /dev/shm}}{mounts}
      volumes:
        - {{name: shm, emptyDir: {{medium: Memory}}}}  # 64 MB is too little for its ranks{volumes}
"""


def _kept(word: str) -> str:
    """Return a word so that it arrives as it is: Kubernetes fills in `$(NAME)`, and makes one `$` of two."""
    return word.replace("$", "$$") if "$$" in word or "$(" in word else word


def _block(text: str, indent: int) -> str:
    """Return text as a YAML scalar over several lines, or as a string in quotes where that cannot hold it."""
    lines = text.split("\n")
    plain = (
        text.endswith("\n") and all(line.isprintable() for line in lines) and text.strip("\n") == text[:-1]
    )
    if not plain or text[:1].isspace():
        return json.dumps(text)
    return "|\n" + "\n".join(f"{' ' * indent}{line}" if line else "" for line in lines[:-1])
