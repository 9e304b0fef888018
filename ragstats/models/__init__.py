"""The statsmodels face: models from formulas and arrays, and their results."""
