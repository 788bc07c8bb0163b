"""The command line: one module per command, on Typer and rich; no mathematics."""
