"""What figures are drawn with: one look, and forest plots. Nothing here knows what is estimated."""
