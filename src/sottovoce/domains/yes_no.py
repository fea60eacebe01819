"""Questions that are answered by yes or no."""

from __future__ import annotations

from sottovoce.domains.categories import Categories

__all__ = ["YesNo"]


def YesNo() -> Categories:  # noqa: N802 - named as the other kinds of domain are
    """The answers yes and no.

    The domain is ``Categories(["no", "yes"])``: surveys, reports and clients in other languages
    need nothing new. A value is ``"yes"``, ``"no"``, ``True`` or ``False``, numpy booleans included.
    ``"Yes"``, ``"y"``, 1 and 0 are refused. Files of text have no booleans: in a CSV file, and in a
    question on the command line, ``true`` and ``True`` are read as yes, ``false`` and ``False`` as no.

    Returns
    -------
    Categories
        The values ``"no"`` and ``"yes"``, in this order.

    Raises
    ------
    InvalidInput
        By the methods of the domain, where a value is neither yes nor no.

    Examples
    --------
    >>> import sottovoce as sv
    >>> smokes = sv.YesNo()
    >>> smokes.index("yes"), smokes.index(True), smokes.labels()
    (1, 1, ['no', 'yes'])
    >>> m = sv.mechanism("grr", smokes, epsilon=1.0)
    >>> e = sv.estimate(m.simulate([700, 300], source=sv.Seeded(1)), "unbiased")
    >>> e.share("yes") == e.share(True)
    True
    """
    return Categories(["no", "yes"])
