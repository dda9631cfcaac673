"""The loop that the grammar's fixture shows on a slide."""

from collections.abc import Iterator


def descend(theta: float, rate: float = 0.2, steps: int = 20) -> Iterator[float]:
    """Gradient descent on theta**2, one value a step."""
    for _ in range(steps):
        gradient = 2 * theta
        theta -= rate * gradient
        if abs(gradient) < 1e-3:
            return
        yield theta


if __name__ == "__main__":
    for value in descend(1.0):
        print(f"{value:.4f}")
