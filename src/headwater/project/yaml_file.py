"""YAML with places: a value that knows its line, so that a wrong one can be pointed at.

PyYAML's loader forgets where a value stood and lets the last of two equal keys win.  This module composes the
tree of nodes instead and reads typed values from it; each reader raises an InputError at the wrong node.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

import yaml

from headwater.errors import InputError, Place, did_you_mean
from headwater.project.warning import ProjectWarning

__all__ = ["Value", "read_yaml"]

_TAG = "tag:yaml.org,2002:"
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")
_CURLY = "\u201c\u201d\u2018\u2019"
_HINTS = {  # what PyYAML says of common slips, and what to do about them
    "\\t": "indent with spaces: YAML allows no tabs",
    "mapping values": "give keys of one level the same indent, and put texts with a colon in quotes",
    "another document": "take out the line ---: the file is one document",
    "undefined alias": "put a text that begins with * in quotes",
}


@dataclass(frozen=True, slots=True)
class Value:
    """A node of the file, and how it is called in messages ("sites.plango.spark")."""

    node: yaml.Node
    path: str
    source: str
    title: str

    def place(self) -> Place:
        start, end = self.node.start_mark.index, self.node.end_mark.index
        newline = self.source.find("\n", start, end)
        return Place.at(self.path, self.source, start, (end if newline < 0 else newline) - start)

    def wrong(self, message: str, hint: str = "", code: str = "HW207") -> InputError:
        return InputError(code, message, place=self.place(), hint=hint)

    @property
    def is_null(self) -> bool:
        return self.node.tag == f"{_TAG}null"

    @property
    def is_merge(self) -> bool:
        return self.node.tag == f"{_TAG}merge"

    @property
    def is_text(self) -> bool:
        return isinstance(self.node, yaml.ScalarNode) and self.node.tag == f"{_TAG}str"

    @property
    def is_single(self) -> bool:
        return isinstance(self.node, yaml.ScalarNode)

    def text(self) -> str:
        """One line of text, as it is written."""
        if not self.is_text or not self.scalar().strip():
            hint = (
                "put it in quotes"
                if self.is_single and not (self.is_null or self.is_text)
                else "write one text"
            )
            raise self.wrong(f"{self.title} must be text, not {self._kind()}", hint)
        text = self.scalar()
        if _CONTROLS.search(text):
            raise self.wrong(f"{self.title} must be one line, without control characters", "write it anew")
        if text[0] in _CURLY:
            raise self.wrong(f"{self.title} begins with a typographic quotation mark", "use straight quotes")
        return text

    def word(self, words: Sequence[str]) -> str:
        """One of some words, in lower case."""
        word = self.scalar().lower() if self.is_single and not self.is_null else ""
        if word not in words:
            listed = f"{', '.join(words[:-1])} or {words[-1]}"
            hint = did_you_mean(word, words) or f"write {listed}"
            raise self.wrong(f"{self.title} is {listed}, not {self._kind()}", hint)
        return word

    def scalar(self) -> str:
        """Text, number, true or false, as written."""
        if not isinstance(self.node, yaml.ScalarNode) or self.is_null:
            message = f"{self.title} must be a single value, not {self._kind()}"
            raise self.wrong(message, "write one text or number")
        return str(self.node.value)

    def number(self) -> Decimal:
        """A number that is not negative."""
        number = self._decimal()
        if number is None or not number.is_finite() or number < 0:
            message = f"{self.title} must be a number that is not negative, not {self._kind()}"
            raise self.wrong(message, "write digits alone, with a point and without quotes or units: 0.17")
        return number

    def positive_number(self) -> Decimal:
        number = self.number()
        if number == 0:
            raise self.wrong(f"{self.title} must be above 0", "leave it out where there is no limit")
        return number

    def whole_number(self) -> int:
        number = self.number()
        if number != int(number):
            raise self.wrong(f"{self.title} must be a whole number, not {number}", "round it")
        return int(number)

    def _decimal(self) -> Decimal | None:
        if self.node.tag not in (f"{_TAG}int", f"{_TAG}float"):
            return None
        try:
            number = Decimal(str(self.node.value).replace("_", ""))
        except InvalidOperation:
            return None
        return number if abs(number.adjusted()) < 30 else None

    def entries(self) -> Iterator[tuple[Value, Value]]:
        """The keys and values of a mapping; an empty value counts as an empty mapping."""
        if self.is_null:
            return
        if not isinstance(self.node, yaml.MappingNode):
            hint = "write `name: value`, with a space after the colon, a line for each"
            raise self.wrong(f"{self.title} must be a mapping of names to values, not {self._kind()}", hint)
        seen: set[str] = set()
        for key_node, value_node in self.node.value:
            key = Value(key_node, self.path, self.source, "a key")
            if key.is_merge:
                raise key.wrong("YAML's merge key << is not read here", "write the keys out")
            name = key.text()
            if name in seen:
                raise key.wrong(f'the key "{name}" is given twice', "keep one of them", code="HW214")
            seen.add(name)
            title = name if self.title == "headwater.yml" else f"{self.title}.{name}"
            yield key, Value(value_node, self.path, self.source, title)

    def fields(self, keys: Sequence[str], unused: Sequence[str] = ()) -> Mapping[str, Value]:
        """The values of a mapping whose keys are fixed; `unused` ones are ignored with a warning."""
        values: dict[str, Value] = {}
        for key, value in self.entries():
            name = key.text()
            if name in unused:
                message = f"{key.place()}: nothing reads `{name}`, so it is ignored; you can delete it"
                warnings.warn(message, ProjectWarning, stacklevel=2)
            elif name not in keys:
                hint = did_you_mean(name, keys) or f"known keys: {', '.join(keys)}"
                raise key.wrong(f'{self.title} has no key "{name}"', hint, code="HW206")
            elif not value.is_null:
                values[name] = value
        return values

    def _kind(self) -> str:
        match self.node:
            case yaml.MappingNode():
                return "a mapping"
            case yaml.SequenceNode():
                return "a list"
            case _ if self.is_null:
                return "nothing"
            case _:
                return f'"{self.node.value}"' if self.node.value.strip() else "an empty text"


def read_yaml(text: str, path: str) -> Value:
    """The file's top mapping."""
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Place.at(path, text, mark.index if mark else 0)
        what = f"{error.problem or error.context}"
        hint = next((hint for sign, hint in _HINTS.items() if sign in what), "")
        message = f"this is not YAML: {what.removeprefix('but ')}"
        raise InputError("HW205", message, place=place, hint=hint) from error
    except yaml.reader.ReaderError as error:
        place = Place.at(path, text, error.position)
        message = f"this is not YAML: the character {error.character!r} is not allowed"
        raise InputError("HW205", message, place=place, hint="take it out") from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        place = Place.at(path, text, 0)
        raise InputError("HW205", "this is not YAML", place=place, hint="nest less deeply") from error
    if node is None:
        raise InputError(
            "HW208", "headwater.yml is empty", place=Place(path, 1, 1), hint="write at least name: shop"
        )
    return Value(node, path, text, "headwater.yml")
