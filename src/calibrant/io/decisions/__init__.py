"""Logs of decision models and of LLM evaluations, in every shape, read into one tally.

looks_like_log(path)   which shape a file has, or None
read_log(paths, …)     a tally by served model and question, and the facts of the log
"""

from __future__ import annotations

from calibrant.io.decisions.answer import Answer, Missing
from calibrant.io.decisions.facts import LogFacts
from calibrant.io.decisions.log import LogReader
from calibrant.io.decisions.read import read_answers, read_log
from calibrant.io.decisions.sniff import looks_like_log

__all__ = ["Answer", "LogFacts", "LogReader", "Missing", "looks_like_log", "read_answers", "read_log"]
