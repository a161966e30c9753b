"""The tally: rows become cells and totals, and everything else is computed from those."""
