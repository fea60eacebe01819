"""Questions about an estimate: one record each, from which every interface derives."""

from sottovoce.answers.questions.answering import AskedQuestion, Questions, Row
from sottovoce.answers.questions.catalogue import (
    find_question,
    register_question,
    registered_questions,
    unregister_question,
)
from sottovoce.answers.questions.reading import Words, read_questions
from sottovoce.answers.questions.record import Question

__all__ = [
    "AskedQuestion", "Question", "Questions", "Row", "Words", "find_question", "read_questions",
    "register_question", "registered_questions", "unregister_question",
]  # fmt: skip
