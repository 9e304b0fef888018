"""Honest uncertainty for retrieval and RAG evaluations: the document is the sampling unit."""
