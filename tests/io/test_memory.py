"""What the engine may hold and where it puts the rest."""

from __future__ import annotations

from pathlib import Path

from calibrant.io.table import MAX_MEMORY, connect


def test_the_engine_spills_into_a_folder_of_its_own_and_clears_it():
    one, other = connect(), connect()
    folders = [Path(c.execute("SELECT current_setting('temp_directory')").fetchone()[0]) for c in (one, other)]
    assert folders[0] != folders[1]
    number, unit = one.execute("SELECT current_setting('memory_limit')").fetchone()[0].split()
    assert unit == "MiB" or float(number) <= MAX_MEMORY
    one.execute("SET memory_limit = '40MB'")
    one.execute("SET threads = 1")
    one.execute("CREATE TEMP TABLE wanted AS SELECT random() AS a, random() AS b FROM range(4000000)")
    assert list(folders[0].iterdir())
    one.close()
    other.close()
    assert not any(folder.exists() for folder in folders)
