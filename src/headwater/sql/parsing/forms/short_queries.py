"""Queries that say less than SELECT, read as what they stand for.

    TABLE t                    SELECT * FROM t
    VALUES (1, 'a'), (2, 'b')  SELECT * FROM VALUES (1, 'a'), (2, 'b')

Spark has both; sqlglot reads them in some places only.  The words that are put in stand where the first word
is, so every place in the text stays what it is.
"""

from __future__ import annotations

from sqlglot.tokenizer_core import Token, TokenType

__all__ = ["as_selects"]

_SET_OPERATIONS = {TokenType.UNION, TokenType.EXCEPT, TokenType.INTERSECT}
_QUANTIFIERS = {TokenType.ALL, TokenType.DISTINCT}
# Before a bracket that holds a query and not an item of FROM.
_BEFORE_BRACKETS = {
    None, TokenType.ALIAS, TokenType.IN, TokenType.EXISTS, TokenType.ANY, TokenType.SOME, TokenType.ALL,
    TokenType.L_PAREN, *_SET_OPERATIONS,
}  # fmt: skip
_WORDS = ((TokenType.SELECT, "SELECT"), (TokenType.STAR, "*"), (TokenType.FROM, "FROM"))


def as_selects(tokens: list[Token]) -> list[Token]:
    """The tokens with SELECT * FROM where a short query begins."""
    kinds = [token.token_type for token in tokens]
    if TokenType.TABLE not in kinds and TokenType.VALUES not in kinds:
        return tokens
    whole: list[Token] = []
    for index, token in enumerate(tokens):
        if token.token_type is TokenType.TABLE and _names_a_table(kinds, index):
            whole += _select_from(token)
        elif token.token_type is TokenType.VALUES and _begins_a_query(kinds, index):
            whole += [*_select_from(token), token]
        else:
            whole.append(token)
    return whole


def _kind(kinds: list[TokenType], index: int) -> TokenType | None:
    return kinds[index] if 0 <= index < len(kinds) else None


def _names_a_table(kinds: list[TokenType], index: int) -> bool:
    after = _kind(kinds, index + 1)
    if after not in (TokenType.VAR, TokenType.IDENTIFIER):
        return False
    before = _kind(kinds, index - 1)
    return before in (TokenType.L_PAREN, TokenType.R_PAREN) or _begins_a_query(kinds, index)


def _begins_a_query(kinds: list[TokenType], index: int) -> bool:
    before = _kind(kinds, index - 1)
    if before in _QUANTIFIERS:
        return _kind(kinds, index - 2) in _SET_OPERATIONS
    if before is TokenType.L_PAREN:
        return _kind(kinds, index - 2) in _BEFORE_BRACKETS
    return before is None or before in _SET_OPERATIONS


def _select_from(token: Token) -> list[Token]:
    return [
        Token(kind, word, token.line, token.col, token.start, token.end, token.comments)
        for kind, word in _WORDS
    ]
