"""Routing: which answers to act on, and which to hand to a person."""
