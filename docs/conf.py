"""The site that ``make docs`` builds from these pages, the docstrings and the examples."""

import sys
from pathlib import Path

from relrbf import __version__

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_extensions"))

project = "relrbf"
author = "The relrbf developers"
copyright = "The relrbf developers"
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_gallery.gen_gallery",
    "sphinx_copybutton",
    "mathml",
    "offline",
    "prose",
    "trimmed",
]
exclude_patterns = ["_build", "_extensions", "conftest.py", "gallery/*.ipynb"]
nitpicky = True

# Formulas are MathML, which browsers draw by themselves: nothing is fetched, no script runs.
html_math_renderer = "mathml"
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 4

autodoc_typehints = "none"  # the docstrings say what may come, in words
autodoc_member_order = "bysource"
# What scikit-learn gives to every estimator is in its own documentation.
SCIKIT_LEARN = ["set_fit_request", "set_predict_request", "set_score_request", "set_output"]
SCIKIT_LEARN += ["set_transform_request", "set_callbacks", "get_metadata_routing", "score"]
SCIKIT_LEARN += ["get_params", "set_params"]
autodoc_default_options = {
    "members": True,
    "inherited-members": "BaseEstimator,ValueError,UserWarning,Enum,tuple,Module,Optimizer",
    "exclude-members": ",".join(SCIKIT_LEARN),
}
napoleon_google_docstring = False
napoleon_use_param = False  # types are prose, "int, or None": no links are sought in them
napoleon_use_rtype = False
napoleon_custom_sections = [("Attributes", "params_style")]

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": ".*",  # every example runs
    "abort_on_example_error": True,
    "write_computation_times": False,
    "min_reported_time": 1e9,
    "download_all_examples": False,
    "show_signature": False,
    "remove_config_comments": True,
    "image_scrapers": ("matplotlib",),
}

html_theme = "furo"
pygments_dark_style = "github-dark"
html_title = f"relrbf {__version__}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
smartquotes_action = "D"  # dashes; quotes stay straight, as code has them
