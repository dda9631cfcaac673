"""The scenes that ship, one file each, listed in `slides.scenes.registry`."""
