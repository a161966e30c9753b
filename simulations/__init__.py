"""Simulations that prove what `docs/statistics.md` promises: coverage of intervals, level and power of tests.

`python -m simulations` runs everything and writes tables; `python -m simulations inversion --repeats 200` one study.
"""
