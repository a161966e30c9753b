"""One small reader for each wire shape and each kind of log; `registry.py` lists them."""
