"""Measures: every number of one slice, each with its interval, direction and convention."""
