"""The vocabulary of an evaluation: documents, means, comparisons, designs."""
