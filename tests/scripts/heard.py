"""In a forked rank: a script that does not call the probe, heard as under torchrun.

heard.py SCRIPT ARGUMENTS…
"""

import sys

from runtime.ranks.runner import run_script

sys.exit(run_script(sys.argv[1], tuple(sys.argv[2:]), listen=True))
