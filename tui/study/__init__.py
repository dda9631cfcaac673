"""Studying alone: courses and lessons, a sitting at one of them, what home and end card say. No Textual."""
