"""A deck as a document to take home: HTML, Markdown, plain words, and pictures of its cells."""
