"""What the exit status of a command says; `--help` tells it in the same words."""

DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130
