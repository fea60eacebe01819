"""The demonstration: two made-up towns answer what they would not say aloud.

``make demo``, ``sottovoce demo`` or ``python -m sottovoce.demo``: a real collector is started,
surveys are published, simulated devices send over HTTP, answers stand beside the truth, and the
dashboard stays until Ctrl-C.
"""
