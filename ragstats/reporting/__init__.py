"""Reports: facts collected once, laid out as text, Markdown, HTML and JSON."""
