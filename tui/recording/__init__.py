"""A class as a film: asciicast, captions, chapters, and a page that plays them."""
