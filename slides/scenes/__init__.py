"""Scenes: pictures that move, as data. See `slides.scenes.shapes` and `slides.scenes.scene`."""
