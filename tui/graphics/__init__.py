"""Pictures in a terminal's own pixels, where it has a protocol for them; until that is known, in half blocks.

On the way to the terminal a picture is text: cells that name their picture, row and column (`placeholder`).
Whatever cuts, scrolls, covers or repaints text does so with pictures, and what is sent in place of the cells
(`plates`) is exactly what is seen of them. Nothing is asked of the terminal before the first picture.
"""
