"""One module per agent besides the managed one, each with one ``TARGET``: its files and its contract."""
