"""Locked versions of everything that is installed, with hashes, and what is made of them.

========== ======================================================================
build.txt  what builds the wheel
image.txt  what the collector's image holds: the extra ``all``
docs.txt   what builds the documentation: the extras ``all`` and ``docs``
dev.txt    everything that ``pyproject.toml`` names
========== ======================================================================

``make lock`` makes them anew, and ``licences.json`` with them; ``make sbom`` lists a lock as CycloneDX.
"""
