"""Logs of LLM evaluations: lm-evaluation-harness, Inspect AI, HELM, and verbalised probabilities in wide columns."""
