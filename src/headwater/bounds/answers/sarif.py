"""Answers as SARIF 2.1.0, the format that code review tools read."""

from __future__ import annotations

from typing import Any

from headwater.bounds.answers.answer import Answer, Level

__all__ = ["sarif"]

_RULES = {
    "HW410": ("unbounded-query", "The work of this query grows with the data."),
    "HW411": ("not-analysed", "This query could not be analysed."),
    "HW412": ("periodic-query", "This query is bounded only by a periodic parallel refresh (SI-3)."),
    "HW413": ("assumption", "The bound of this query rests on an undeclared constraint."),
}


def sarif(answers: list[Answer], version: str) -> dict[str, Any]:
    """One run with a result for every query that a reviewer should look at."""
    rules = [
        {"id": code, "name": name, "shortDescription": {"text": text}}
        for code, (name, text) in _RULES.items()
    ]
    driver = {"name": "headwater check", "version": version, "rules": rules}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {"tool": {"driver": driver}, "results": [r for answer in answers for r in _results(answer)]}
        ],
    }


def _results(answer: Answer) -> list[dict[str, Any]]:
    match answer.level:
        case Level.UNBOUNDED:
            return [_result(answer, "HW410", "error", _why(answer))]
        case Level.NOT_ANALYSED:
            return [_result(answer, "HW411", "warning", _why(answer))]
        case Level.SI_3:
            return [_result(answer, "HW412", "note", f"{answer.name} is SI-3: {_RULES['HW412'][1]}")]
        case _ if answer.assumes:
            text = f"{answer.name} is {answer.level.value} if " + "; ".join(answer.assumes)
            return [_result(answer, "HW413", "note", text)]
        case _:
            return []


def _why(answer: Answer) -> str:
    lines = [f"{answer.name} is {answer.level.value}"] if answer.level is Level.UNBOUNDED else [answer.name]
    lines += [reason.text for reason in answer.reasons]
    lines += [f"Advice: {advice.text} (reaches {advice.level.value})" for advice in answer.advice]
    return ". ".join(lines)


def _result(answer: Answer, rule: str, level: str, text: str) -> dict[str, Any]:
    place = next((reason.place for reason in answer.reasons if reason.place is not None), answer.place)
    result: dict[str, Any] = {"ruleId": rule, "level": level, "message": {"text": text}}
    if place is not None:
        region = {
            "startLine": place.line,
            "startColumn": place.column,
            "endColumn": place.column + place.length,
        }
        location = {"artifactLocation": {"uri": place.path}, "region": region}
        result["locations"] = [{"physicalLocation": location}]
    return result
