"""A second implementation of the formats, held to the pages: nothing of sottovoce is imported.

``docs/reference/formats.md``, ``wire.md`` and ``certificates.md`` promise that another language can
read surveys, answer them and collect.  This is that other language: plain Python and its standard
library, no numpy, as close to the wording of the pages as code can be.

==================  ==================================================================
``documents``       JSON: the strict reader, the canonical form, fingerprints
``decimals``        decimal text, whole numbers, a lower bound of e^epsilon
``domains``         documents of domains; from a value to an input and a position
``draws``           random words, uniform numbers, response, unary encoding
``hashes``          public words, points, seeded and fixed hashes, primes
``mechanisms``      what every mechanism has: its document, limits, certificate, payload
``oracles``         mechanisms for categories
``grids``           waves, piecewise, stochastic rounding
``noise``           Laplace, Gaussian, noise on degrees
``composed``        hierarchy, Haar, binned, sampled coordinate
``key_value``       keys with numbers
``surveys``         surveys and windows
``uploads``         MessagePack, uploads both ways, refusals
``golden``          runs the golden vectors of the folder ``vectors``
==================  ==================================================================
"""
