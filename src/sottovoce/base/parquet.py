"""Parquet files that are read some rows at a time, in memory that does not follow their size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sottovoce.base.extras import optional

__all__ = ["open_parquet"]

_BUFFER = 2**20
"""Bytes of a column that are read at a time."""


def open_parquet(source: Any, *, labels: Sequence[str] = (), metadata: Any = None) -> Any:
    """A ``pyarrow.parquet.ParquetFile`` for reading in pieces.

    pyarrow would by default hold all the compressed bytes of a file (``pre_buffer``), which helps
    with object stores and costs the size of the file in memory.  Columns of ``labels``, which must be
    there, come as dictionaries, each label once.  ``metadata`` is that of the file, if it was read before.
    """
    parquet = optional("pyarrow.parquet", extra="analyse", purpose="reading Parquet")
    options = {"pre_buffer": False, "buffer_size": _BUFFER, "read_dictionary": list(labels)}
    return parquet.ParquetFile(source, metadata=metadata, **options)
