"""Run first in every executed page: how figures and tables look."""

import warnings

import matplotlib as mpl
import pandas as pd
from IPython import get_ipython

get_ipython().run_line_magic("matplotlib", "inline")
get_ipython().run_line_magic("config", 'InlineBackend.figure_formats = ["svg"]')

mpl.rcParams.update(
    {
        "figure.figsize": (6.4, 3.4),
        "figure.constrained_layout.use": True,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "axes.grid": True,
        "grid.color": "0.9",
        "axes.prop_cycle": mpl.cycler(color=["#0072B2", "#D55E00", "#009E73", "#CC79A7"]),
        "font.size": 10,
        "legend.frameon": False,
    }
)
pd.options.display.precision = 4
pd.options.display.max_colwidth = None

# Warnings as one line, without the place in the page's kernel.
warnings.formatwarning = lambda message, category, *_, **__: f"{category.__name__}: {message}\n"
