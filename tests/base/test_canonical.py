"""Documents: their canonical form is RFC 8785, and readers refuse what they would write otherwise."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sottovoce as sv
from sottovoce.base.canonical import (
    LARGEST_INTEGER,
    LONGEST_DOCUMENT,
    canonical_json,
    check_same,
    fingerprint_of,
    integers_of,
    read_document,
    text_of_integers,
)
from sottovoce.base.errors import CorruptBytes, InvalidInput, SottovoceError
from sottovoce.core.registry import registered

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
INTEGERS = st.integers(-LARGEST_INTEGER, LARGEST_INTEGER)
DOCUMENTS = st.recursive(
    st.none() | st.booleans() | INTEGERS | TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(st.text("abc_", min_size=1), inner, max_size=4),
    max_leaves=12,
)


@given(DOCUMENTS)
def test_what_is_written_is_read_and_written_alike(document):
    text = canonical_json(document)
    assert read_document(text, "it") == document
    assert canonical_json(read_document(text.encode(), "it")) == text
    assert canonical_json(read_document(json.dumps(document, indent=2), "it")) == text


def test_the_canonical_form_is_that_of_rfc_8785():
    """Sorted keys, no white space, the escapes of its section 3.2.2.2 and no others."""
    document = {"b": [1, -7, True, None], "a": '\u20ac$\u000f\n\u0000"\\/é\u007f\U0001f600'}
    assert (
        canonical_json(document)
        == '{"a":"€$\\u000f\\n\\u0000\\"\\\\/é\x7f😀","b":[1,-7,true,null]}'
    )
    assert fingerprint_of({}) == "44136fa355b3678a1146ad16f7e8649e"  # sha256sum of the two braces


@pytest.mark.parametrize(
    "document", [1.0, {"a": 0.5}, [2**53], -(2**53), "\ud800", {"\udfff": 1}, b"bytes", {1, 2}]
)
def test_what_has_no_canonical_form(document):
    with pytest.raises(InvalidInput, match="of canonical JSON must be"):
        canonical_json(document)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "it is not JSON"),
        ('{"a":1,"a":1}', "it is not valid: the key 'a' is there twice"),
        ("[1.0]", "1.0 is not a whole number"),
        ("[1e2]", "1e2 is not a whole number"),
        ("[NaN]", "NaN is not a whole number"),
        ("[-Infinity]", "-Infinity is not a whole number"),
        ("[-0]", "-0 is written 0"),
        ("9007199254740992", "from -9007199254740991 to 9007199254740991, or text"),
        ("[" + "9" * 5000 + "]", "from -9007199254740991 to 9007199254740991, or text"),
        ('["\\ud800"]', "valid Unicode"),
        ("[" * 100_000 + "]" * 100_000, "nested too deeply"),
        ("[" * 17 + "]" * 17, "of at most 16 lists and objects in each other"),
        ('{"a":' * 17 + "1" + "}" * 17, "of at most 16 lists and objects in each other"),
        ('"' + "a" * LONGEST_DOCUMENT + '"', "it is longer than 4194304 bytes"),
        (b'["\xff"]', "it is not valid"),
        (b"\xef\xbb\xbf[]", "it is not JSON"),
        ("[]".encode("utf-16"), "it is not valid"),
        ("[01]", "it is not JSON"),
        ("[1] 2", "it is not JSON"),
    ],
)
def test_texts_that_are_refused(text, message):
    with pytest.raises(CorruptBytes) as error:
        read_document(text, "it")
    assert message in str(error.value)


def test_the_first_difference_is_named():
    for given_, written, message in (
        ({"a": {"b": ["1.0"]}}, {"a": {"b": ["1"]}}, "'1.0' at a.b[0] must be '1'"),
        ({"a": True}, {"a": 1}, "True at a must be 1"),
        ({}, {"a": 1}, "a key that is absent at a must be 1"),
        ({"a": 1}, {}, "1 at a must be a key that is absent"),
        ([1], [1, 2], "a list of 1 must be a list of 2"),
    ):
        with pytest.raises(CorruptBytes) as error:
            check_same(given_, written, "it")
        assert str(error.value) == f"it is not in canonical form: {message}"
    check_same({"a": (1, 2)}, {"a": [1, 2]}, "it")


def test_weights_are_decimal_text_whatever_they_are():
    assert text_of_integers([{"a": 5}, 2**100]) == [{"a": "5"}, str(2**100)]
    for wrong in (5, "05", "-1", "+1", "1.0", "", " 1", "1_0", "\uff11", "1" * 41, None, True, 1.0):
        with pytest.raises(InvalidInput, match="weights of a mechanism must be whole numbers as"):
            integers_of({"keep": wrong}, "a mechanism")


def test_no_integer_of_any_document_exceeds_what_a_double_holds(mechanism):
    """So that every language's JSON parser reads the survey exactly, and writes the same text."""
    survey = sv.Survey("s", "?", mechanism, "day", closes="2026-12-31")
    text = survey.to_json()
    assert json.loads(text, parse_int=float) == json.loads(text)
    again = json.dumps(json.loads(text), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert again == text


# -- mutated surveys ---------------------------------------------------------------------


def places(document, path=()):
    """The path of everything in a document, the whole included."""
    yield path
    items = (
        document.items()
        if isinstance(document, dict)
        else enumerate(document)
        if isinstance(document, list)
        else ()
    )
    for key, value in items:
        yield from places(value, (*path, key))


def put(document, path, change):
    """The document with what is at a path changed."""
    if not path:
        return change(document)
    copy = dict(document) if isinstance(document, dict) else list(document)
    copy[path[0]] = put(copy[path[0]], path[1:], change)
    return copy


def without(key):
    def change(parent):
        copy = dict(parent) if isinstance(parent, dict) else list(parent)
        del copy[key]
        return copy

    return change


def mutants(document):
    """Documents with one thing changed: another type, another spelling, a key more or less."""
    for path in places(document):
        value = document
        for key in path:
            value = value[key]
        replacements = [None, True, 0, 1, -1, 2**53 - 1, "", "0", [], {}, [value], {"a": value}]
        if isinstance(value, str):
            replacements += [
                f"{value}.0", f" {value}", f"{value} ", f"0{value}", f"+{value}", f"{value}e0",
                value.translate({ord("1"): "\uff11"}), value.upper(), f"{value}_0", f"{value}0",
            ]  # fmt: skip
            if value.isdigit():
                replacements += [int(value[:15]), str(int(value) + 1), str(int(value) - 1)]
        if isinstance(value, int):
            replacements += [str(value), value + 1, value - 1, bool(value)]
        if isinstance(value, dict):
            replacements += [{**value, "more": 0}, {**value, "version": 9}]
        if isinstance(value, list):
            replacements += [value + value[-1:], value[::-1]]
        for other in replacements:
            yield put(document, path, lambda _, other=other: other)
        if path:
            yield put(document, path[:-1], without(path[-1]))


def taken_otherwise(text):
    """Whether a text is taken under a fingerprint that is not the hash of its canonical form."""
    try:
        survey = sv.Survey.from_json(text)
    except SottovoceError:
        return None
    return survey.fingerprint != fingerprint_of(json.loads(text))


def test_no_mutated_survey_is_taken_under_another_fingerprint(mechanism):
    document = json.loads(sv.Survey("s", "?", mechanism, "day").to_json())
    found = [taken_otherwise(json.dumps(mutant)) for mutant in [document, *mutants(document)][::7]]
    assert found[0] is False
    assert True not in found
    assert None in found


@pytest.mark.slow
def test_no_mutated_survey_of_many_is_taken_under_another_fingerprint():
    """Over all mechanisms more than 20,000 mutants."""
    count = 0
    for mechanism in [example for cls in registered() for example in cls.examples()]:
        document = json.loads(sv.Survey("s", "?", mechanism, "week", opens="2026-01-01").to_json())
        for mutant in mutants(document):
            assert not taken_otherwise(json.dumps(mutant)), mutant
            count += 1
    assert count >= 20_000
