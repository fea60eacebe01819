"""The laws of mechanisms and methods, for those who write one.  No test framework is needed.

>>> import sottovoce as sv
>>> from sottovoce.testing import check_method
>>> check_method("norm-sub", sv.mechanism("grr", sv.Categories(4), epsilon=1.0))

The same laws are run on every mechanism of sottovoce.  Under a test framework, run them one by one,
so that a failure has the name of its law::

    @pytest.mark.parametrize("law", MECHANISM_LAWS, ids=lambda law: law.name)
    @pytest.mark.parametrize("mechanism", RingResponse.examples(), ids=str)
    def test_laws(mechanism, law):
        law(mechanism)
"""

from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.core.mechanism import Mechanism
from sottovoce.estimators.methods import Method, find_method
from sottovoce.testing.channels import CHANNEL_LAWS, SAMPLER_LAWS
from sottovoce.testing.laws import Law, LawBroken
from sottovoce.testing.mechanisms import IDENTITY_LAWS, PRIVACY_LAWS, REPORT_LAWS, TALLY_LAWS
from sottovoce.testing.methods import ERROR_LAWS, ESTIMATE_LAWS, METHOD_LAWS, Trial
from sottovoce.testing.sources import Recording, Scripted

__all__ = [
    "ERROR_LAWS",
    "MECHANISM_LAWS",
    "METHOD_LAWS",
    "Law",
    "LawBroken",
    "Recording",
    "Scripted",
    "Trial",
    "check_mechanism",
    "check_method",
]

MECHANISM_LAWS: tuple[Law, ...] = (
    *IDENTITY_LAWS,
    *REPORT_LAWS,
    *TALLY_LAWS,
    *PRIVACY_LAWS,
    *CHANNEL_LAWS,
    *SAMPLER_LAWS,
    *ESTIMATE_LAWS,
)
"""The laws of a mechanism; each is called with the mechanism."""


def check_mechanism(mechanism: Mechanism) -> None:
    """Check every law of a mechanism: documents, reports, tallies, privacy, channel, estimates.

    The first law that does not hold raises :class:`LawBroken`, with the law's name, what was expected and
    what was observed.  Randomness is seeded: a mechanism that passes once passes always, and a
    right sampler fails with a chance below 1e-6.  The mechanism should be small, as those of
    ``examples()``: the sampler is called for every input, 1.2 million people in all.  Its class must
    be registered, for it is read from its JSON.
    """
    if not isinstance(mechanism, Mechanism):
        raise InvalidInput("mechanism", "check_mechanism", "a Mechanism", mechanism)
    for each in MECHANISM_LAWS:
        each(mechanism)


def check_method(method: str | Method, mechanism: Mechanism) -> None:
    """Check every law of a method on a mechanism: fields, errors, copies, answers.

    ``method`` is the name of a registered method, or the method itself; it must apply to ``mechanism``,
    and estimate shares.  The first law that does not hold raises :class:`LawBroken`.
    """
    name = method.name if isinstance(method, Method) else method
    known = find_method(name, mechanism)
    if isinstance(method, Method) and known is not method:
        raise InvalidInput("method", "check_method", "registered with register_method", name)
    if only := known.tells_only(mechanism):
        raise Unfit(f"the laws are about shares, and {name} estimates {only} of {mechanism} only")
    trial = Trial(known.name, mechanism)
    for each in (*METHOD_LAWS, *ERROR_LAWS):
        each(trial)
