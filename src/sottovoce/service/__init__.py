"""The collector: takes reports over HTTP, keeps them, and answers who may ask.

``collector(store, settings)`` is its application; :func:`sottovoce.service.serve.serve` runs one.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sottovoce.base.extras import optional

if TYPE_CHECKING:
    from sottovoce.service.app import collector
    from sottovoce.service.settings import Settings, load_settings

__all__ = ["Settings", "collector", "load_settings"]

_NEEDED = ("starlette", "uvicorn", "httptools", "msgspec", "jinja2", "sqlalchemy", "alembic")
_WHERE = {
    "Settings": "sottovoce.service.settings",
    "collector": "sottovoce.service.app",
    "load_settings": "sottovoce.service.settings",
}


def __getattr__(name: str) -> Any:
    """What is asked for, or an error that says what to install."""
    if name not in _WHERE:
        raise AttributeError(f"module 'sottovoce.service' has no attribute {name!r}")
    for package in _NEEDED:
        optional(package, extra="service", purpose="the collector")
    return getattr(import_module(_WHERE[name]), name)
