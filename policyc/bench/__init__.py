"""``policyc bench``: how fast it decides, compiles, reloads and serves on this machine, beside the targets.

Each section is a function of its sizes that returns figures; only ``policyc.bench.suite`` knows the sizes
that ``make bench`` runs. Wrong decisions and failed requests are counted: no figure is of wrong work.
"""
