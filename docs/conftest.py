"""The tests run the examples of the pages; what builds the site is no page."""

collect_ignore = ["conf.py", "_extensions", "_build", "gallery"]
