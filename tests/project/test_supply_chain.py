"""Locks with hashes, licences, an SBOM of them, and a wheel that is always the same bytes."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from requirements.lock import licence_of
from requirements.reading import (
    FOLDER,
    LOCKS,
    UNLOCKED,
    Locked,
    normal,
    project,
    read_licences,
    read_lock,
)
from requirements.sbom import sbom

ROOT = FOLDER.parent


def wanted(extra: str) -> list[Requirement]:
    """What an extra asks for, those that it names of our own included."""
    found = []
    for text in project()["project"]["optional-dependencies"][extra]:
        requirement = Requirement(text)
        if requirement.name == "sottovoce":
            found += [each for name in sorted(requirement.extras) for each in wanted(name)]
        else:
            found.append(requirement)
    return found


def asked(lock: str) -> list[Requirement]:
    told = project()
    builds = [Requirement(text) for text in told["build-system"]["requires"]]
    if lock == "build":
        return builds
    needed = [Requirement(text) for text in told["project"]["dependencies"]]
    needed += [each for extra in LOCKS[lock] for each in wanted(extra)]
    return needed + (builds if lock == "dev" else [])


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_covers_what_is_asked_for(lock):
    held: dict[str, list[Locked]] = {}
    for one in read_lock(lock):
        held.setdefault(one.name, []).append(one)
    for requirement in asked(lock):
        versions = held.get(normal(requirement.name))
        assert versions, f"{requirement} is not in {lock}.txt: run make lock"
        assert all(Version(one.version) in requirement.specifier for one in versions), requirement


def with_those_inside(extra: str) -> set[str]:
    texts = project()["project"]["optional-dependencies"][extra]
    named = [Requirement(text) for text in texts if text.startswith("sottovoce[")]
    return {extra}.union(*(with_those_inside(each) for one in named for each in one.extras))


def test_every_extra_is_locked():
    locked = set().union(*(with_those_inside(extra) for extra in LOCKS["dev"]))
    assert locked | set(UNLOCKED) == set(project()["project"]["optional-dependencies"])


@pytest.mark.parametrize("lock", LOCKS)
def test_every_file_has_a_hash_and_no_index_is_named(lock):
    text = (FOLDER / f"{lock}.txt").read_text()
    assert not re.search(r"https?://|file:|--(extra-)?index-url|--find-links|@ ", text)
    for one in read_lock(lock):
        assert one.hashes, one.name
        assert len(set(one.hashes)) == len(one.hashes)


def test_locks_agree():
    held = {
        lock: {(one.name, one.version, one.hashes) for one in read_lock(lock)} for lock in LOCKS
    }
    assert all(held[lock] <= held["dev"] for lock in LOCKS)


def test_a_lock_without_hashes_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr("requirements.reading.FOLDER", tmp_path)
    (tmp_path / "image.txt").write_text("# made by hand\nnumpy==2.0\n")
    with pytest.raises(ValueError, match=r"line 2 of .*image.txt is not of a lock with hashes"):
        read_lock("image")


# -- licences and SBOM -------------------------------------------------------------------------


def test_every_package_has_a_licence():
    licences = read_licences()
    assert set(licences) == {one.name for one in read_lock("dev")}
    assert licences["psycopg"] == licences["psycopg-binary"] == "LGPL-3.0-only"
    copyleft = {name for name, licence in licences.items() if re.search("GPL", licence)}
    shipped = {one.name for one in read_lock("image")}
    assert copyleft & shipped == {"psycopg", "psycopg-binary"}
    page = (ROOT / "docs" / "reference" / "licences.md").read_text()
    assert all(f"| {name} |" in page for name in licences)


@pytest.mark.parametrize(
    ("metadata", "licence"),
    [
        ({"license_expression": "MIT OR ISC", "license": "BSD"}, "MIT OR ISC"),
        ({"license": "Apache License 2.0"}, "Apache-2.0"),
        ({"license": "see file", "classifier": ["License :: OSI Approved :: MIT License"]}, "MIT"),
        ({"name": "Axe_Playwright-python", "classifier": ["Topic :: Software"]}, "MIT"),
    ],
)
def test_licences_from_metadata(metadata, licence):
    assert licence_of({"name": "x", **metadata}) == licence


def test_a_package_without_a_known_licence_is_an_error():
    with pytest.raises(ValueError, match=r"x: no known licence .* says \('mine', \[\]\); add it"):
        licence_of({"name": "x", "license": "mine"})


@pytest.mark.parametrize("lock", LOCKS)
def test_the_sbom_lists_every_package_with_version_hash_and_licence(lock):
    document = sbom(lock)
    assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.6")
    assert re.fullmatch(r"urn:uuid:[0-9a-f-]{36}", document["serialNumber"])
    about = document["metadata"]["component"]
    assert about["version"] == project()["project"]["version"]
    told = {
        (
            each["name"],
            each["version"],
            tuple(digest["content"] for digest in each["hashes"]),
            each["licenses"][0]["expression"],
        )
        for each in document["components"]
    }
    licences = read_licences()
    locked = read_lock(lock)
    assert told == {(one.name, one.version, one.hashes, licences[one.name]) for one in locked}
    references = [each["bom-ref"] for each in document["components"]]
    assert len(set(references)) == len(references) == len(locked)


def test_the_command_gives_the_same_bytes_every_time():
    command = [sys.executable, "-m", "requirements.sbom"]
    once, again = (
        subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout for _ in range(2)
    )
    assert once == again
    assert json.loads(once) == sbom("image")
    other = subprocess.run([*command, "nothing"], cwd=ROOT, capture_output=True, check=False)
    assert b"unknown lock 'nothing'; there are dev, docs, image, build" in other.stderr


# -- what is built from them -------------------------------------------------------------------


def test_image_and_docs_are_built_from_the_locks():
    image = (ROOT / "deploy" / "Dockerfile").read_text()
    for install in re.findall(r"pip install (.*?)(?: \\)?\n", image):
        assert install.startswith(("--require-hashes", "--no-deps --no-index")), install
    assert "ARG PYTHON_IMAGE=python:" in image
    assert set(re.findall(r"^FROM (\S+)", image, re.MULTILINE)) == {"${PYTHON_IMAGE}"}
    allowed = (ROOT / "deploy" / "Dockerfile.dockerignore").read_text()
    for copied in re.findall(r"requirements/\w+\.txt", image):
        assert f"!{copied}" in allowed
    docs = re.search(r"^\$\(DOCS_READY\):.*?\n\n", (ROOT / "Makefile").read_text(), re.M | re.S)[0]
    assert "--require-hashes -r requirements/docs.txt -r requirements/build.txt" in docs


@pytest.mark.slow
def test_two_builds_of_the_wheel_are_the_same_bytes(tmp_path):
    """From two places, at two times, under two masks of permissions; another date changes it."""
    pytest.importorskip("hatchling")
    build = "from hatchling.build import build_wheel; print(build_wheel('out'))"
    found = []
    for place, mask, date in (("a", 0o022, "1700000000"), ("b/c", 0o077, "1700000000"), ("d", 0o022, "1600000000")):  # fmt: skip
        here = tmp_path / place
        here.mkdir(parents=True)
        for name in ("pyproject.toml", "README.md", "LICENSE"):
            shutil.copyfile(ROOT / name, here / name)
        shutil.copytree(ROOT / "src", here / "src", copy_function=shutil.copyfile)
        for path in [*here.rglob("*")]:
            path.chmod((0o777 if path.is_dir() else 0o666) & ~mask)
        done = subprocess.run(
            [sys.executable, "-c", build],
            cwd=here, env={"SOURCE_DATE_EPOCH": date, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        wheel = Path(here) / "out" / done.stdout.strip()
        assert "sottovoce/service/pages/answer.js" in zipfile.ZipFile(wheel).namelist()
        found.append(hashlib.sha256(wheel.read_bytes()))
    first, second, other = (one.hexdigest() for one in found)
    assert first == second != other
