"""What is inside, as a CycloneDX document: ``make sbom``, or ``python -m requirements.sbom [lock]``.

Everything comes from the lock and ``licences.json``, so that the same lock gives the same bytes, without
a network.  A component lists the hashes of all files of its version: which one was installed
depends on the Python and the system.
"""

from __future__ import annotations

import json
import sys
import uuid
from typing import Any

from requirements.reading import LOCKS, Locked, project, read_licences, read_lock

__all__ = ["sbom"]


def sbom(name: str = "image") -> dict[str, Any]:
    """The document of one lock."""
    about = project()["project"]
    locked, licences = read_lock(name), read_licences()
    own = f"pkg:pypi/{about['name']}@{about['version']}"
    components = [_component(one, licences[one.name]) for one in locked]
    identity = json.dumps([own, components], sort_keys=True)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, identity)}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": own,
                "name": about["name"],
                "version": about["version"],
                "purl": own,
                "licenses": [{"expression": about["license"]}],
            }
        },
        "components": components,
    }


def _component(one: Locked, licence: str) -> dict[str, Any]:
    found: dict[str, Any] = {
        "type": "library",
        "bom-ref": one.purl,
        "name": one.name,
        "version": one.version,
        "purl": one.purl,
        "hashes": [{"alg": "SHA-256", "content": digest} for digest in one.hashes],
        "licenses": [{"expression": licence}],
    }
    if one.marker:
        found["properties"] = [{"name": "python:environment-marker", "value": one.marker}]
    return found


def main() -> None:
    """Write the document of the lock that is named, that of the image unless one is."""
    name = sys.argv[1] if len(sys.argv) > 1 else "image"
    if name not in LOCKS:
        raise SystemExit(f"unknown lock {name!r}; there are {', '.join(LOCKS)}")
    sys.stdout.write(json.dumps(sbom(name), indent=2) + "\n")


if __name__ == "__main__":
    main()
