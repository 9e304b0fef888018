"""Sphinx configuration: pages are executed when the site is built; a warning is an error."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

from ragstats import __version__

project = "ragstats"
author = "The ragstats developers"
copyright = "The ragstats developers"
release = version = __version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_nb",
    "sphinx_design",
    "svg_math",  # docs/_ext: equations as SVG, so that the pages need no network
]
exclude_patterns = ["_build", "_data", "_ext", "changes/*.md", "jupyter_execute"]
templates_path = ["_templates"]
default_role = "code"
nitpicky = False

# --- executed pages -----------------------------------------------------------------------------

# "force" executes every page; RAGSTATS_DOCS_EXECUTION=cache only those whose source has changed,
# which is right while writing, and wrong as soon as the package has changed.
nb_execution_mode = os.environ.get("RAGSTATS_DOCS_EXECUTION", "force")
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_execution_show_tb = True
nb_merge_streams = True
nb_output_stderr = "show"
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "substitution"]
myst_heading_anchors = 3
myst_update_mathjax = False
html_math_renderer = "svg"
# The kernels: threads of BLAS would compete for the cores that build pages side by side.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
# They talk over loopback, and each would warn about that.
_kernels = Path(tempfile.mkdtemp(prefix="ragstats-docs-"))
atexit.register(shutil.rmtree, _kernels, ignore_errors=True)
(_kernels / "profile_default").mkdir()
(_kernels / "profile_default" / "ipython_kernel_config.py").write_text(
    "get_config().IPKernelApp.log_level = 'ERROR'\n"
)
os.environ["IPYTHONDIR"] = str(_kernels)

# --- the API ------------------------------------------------------------------------------------

autosummary_generate = True
autosummary_ignore_module_all = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

# --- the site -----------------------------------------------------------------------------------

html_theme = "pydata_sphinx_theme"
html_title = f"ragstats {version}"
html_static_path = ["_static"]
html_css_files = ["ragstats.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "ragstats"},
    "show_nav_level": 1,
    "navigation_depth": 3,
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "back_to_top_button": False,
}
#: Pages that are no section have no list of pages beside them.
_ALONE = (
    "index", "start", "differences", "coverage-study", "billion-rows", "benchmarks", "limits",
    "glossary", "citing",
)  # fmt: skip
html_sidebars = {page: [] for page in _ALONE}
