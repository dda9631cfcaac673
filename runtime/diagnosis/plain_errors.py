"""What Python and torch say when something breaks, in plain words."""

from __future__ import annotations

import re

# (what was said, what it is in plain words, what to do)
_KNOWN = tuple(
    (re.compile(pattern), text, meaning)
    for pattern, text, meaning in (
        (
            r"^ModuleNotFoundError: No module named '([^']+)'",
            r"there is no module \1 here",
            "install it beside the PyTorch that runs this (python=); an exercise needs nothing but torch",
        ),
        (
            r"^ProcessRaisedException",
            "a process that the script has started itself broke",
            "torchrun starts the ranks here: with ranks=1 the script may start its own, "
            "which are not measured",
        ),
        (
            r"^(SyntaxError|IndentationError|TabError): (.*?)( \([^)]*\))?$",
            r"Python cannot read it: \2",
            "look at the line and the one above",
        ),
        (
            r"trying to initialize the default process group twice",
            "the process group is there already",
            "call init_process_group in main() only, which the checks do not call",
        ),
        (
            r"Invalid (destination|source) rank|rank .*out of range|Invalid peer|"
            r"Global rank -?\d+ is not part of group|(peer|dst|src)_?rank",
            "there is no such rank",
            "ranks go from 0 to world - 1: take them modulo the world",
        ),
        (
            r"destination rank should not be the same|Cannot send to self|same as the rank of the current",
            "a rank sends to itself",
            "who is your neighbour? (rank + 1) % world",
        ),
        (
            r"The size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)",
            r"two tensors do not fit: \1 and \2 elements",
            "look at how the buffer is divided",
        ),
        (
            r"mat1 and mat2 shapes cannot be multiplied \((\d+)x(\d+) and (\d+)x(\d+)\)",
            r"a matrix of \1 x \2 does not go into one of \3 x \4",
            "the columns of the first have to be as many as the rows of the second",
        ),
        (
            r"does not require grad and does not have a grad_fn",
            "there is nothing to go back through",
            "the loss does not depend on a parameter: a detach, a no_grad or a number made of a tensor",
        ),
        (
            r"Trying to backward through the graph a second time",
            "backward was called twice on one graph",
            "compute the loss anew for each backward",
        ),
        (
            r"a leaf Variable that requires grad is being used in an in-place operation",
            "a parameter is changed in place while gradients are recorded",
            "do it inside torch.no_grad()",
        ),
        (
            r"^AttributeError: 'NoneType' object has no attribute"
            r"|Expected parameter `\w+` of type [\s\S]*NoneType",
            "something is None that should not be",
            "often a gradient before backward, a received tensor without requires_grad_(), or a function "
            "that does not return",
        ),
        (
            r"invalid gradient at index \d+ - got (\[[\d, ]*\])"
            r" but expected shape compatible with (\[[\d, ]*\])",
            r"a gradient has the shape \1, what it belongs to has \2",
            "a gradient is as large as what it is of: of a share only the share",
        ),
        (
            r"contiguous",
            "a tensor is not in one piece",
            "call .contiguous() before it is sent, or send a copy",
        ),
        (
            r"Default process group has not been initialized",
            "there is no process group any more",
            "the checks make one and keep it: call destroy_process_group in main() only",
        ),
        (
            r"^EOFError: EOF when reading a line",
            "it asks for input, and nobody can type there",
            "write the value into the file: ranks have no keyboard",
        ),
        (
            r"expected Variable, but hook returned '(\w+)'",
            r"a hook returns something, of the type \1",
            "what a gradient's hook returns takes the gradient's place: let it return nothing",
        ),
        (
            r"enforce fail at .*gloo.*(in|out)->size",
            "what is sent and what is received do not have the same size",
            "look at the shapes of both tensors",
        ),
        (
            r"\[Errno (28|122)\]",
            "no room is left on the disk",
            "make room where it writes, or let it write less: what it has written lies beside it",
        ),
        (
            r"unexpected pos \d+ vs \d+",  # how torch's writer of archives says the same
            "not all that torch wrote has reached the disk: it is full, or over its quota",
            "make room where the checkpoints are",
        ),
        (r"\[Errno 27\]", "a file is larger than 1 GB", "the kernel was asked to refuse that"),
        (r"\[Errno 24\]", "too many files are open", "close them, or open them with `with`"),
        (
            r"^FileNotFoundError: \[Errno 2\] No such file or directory: '(?:[^']*/)?([^'/]+)'",
            r"there is no file \1",
            "check that it is there before you read it; who writes it, and when?",
        ),
        (r"^RecursionError", "a function calls itself without end", "what ends the recursion?"),
    )
)


def plain(text: str) -> tuple[str, str]:
    """Return an error in plain words and what to do; the error itself and "" where it is not known."""
    for pattern, words, meaning in _KNOWN:
        found = pattern.search(text)
        if found:
            return found.expand(words), meaning
    return text.partition("\n")[0], ""


def of_end(how: str) -> str:
    """Return what the end of a process usually means."""
    if "exit code" in how:
        return "it was ended by os._exit or exit(): a rank that leaves takes the others along"
    if "SIGKILL" in how:
        return "the machine ended it because memory was short, or the file sent the signal itself"
    if "lost its connection" in how:
        return "os.closerange and the like close what the rank itself needs"
    return "a crash below Python: a tensor was used in a way its memory does not allow"
