"""`python -m calibrant` is the command `calibrant`."""

from __future__ import annotations

from calibrant.cli import main

if __name__ == "__main__":
    main()
