"""Scenes by a Python file of a deck's author, run in a process that can be ended."""
