"""Intervals of shares and of means of scores."""
