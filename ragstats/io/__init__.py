"""From the files that people have to rows, and back to R."""
