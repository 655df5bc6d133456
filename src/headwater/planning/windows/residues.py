"""A residue class, written prime by prime, so that classes can be compared and conditioned exactly.

The edges of a query repeat every slide, so the edges of a tree are a union of residue classes
`a mod m`.  By the Chinese remainder theorem a class is the same as one condition per prime of m:

    7 mod 12   =   (3 mod 4) and (1 mod 3)   =   ((2, 2, 3), (3, 1, 1))

Each condition is an `Atom` (prime, exponent, residue); a class is a `Term`, its atoms by growing prime.
For a position drawn at random the conditions on different primes are independent, which is what
`density` builds on.

Invariant: the atoms of a term have distinct, increasing primes; the empty term is "every position".
Cost: factoring is trial division, remembered per modulus; fine up to about 10**14.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from headwater.errors import InputError

__all__ = ["Atom", "Term", "absorb", "factor", "implies", "term"]

Atom = tuple[int, int, int]
Term = tuple[Atom, ...]

LARGEST_TRIAL = 10_000_000


@lru_cache(maxsize=100_000)
def factor(number: int) -> tuple[tuple[int, int], ...]:
    """The prime factorisation of a positive integer: 12 gives ((2, 2), (3, 1))."""
    factors, prime = [], 2
    while prime * prime <= number:
        exponent = 0
        while number % prime == 0:
            number //= prime
            exponent += 1
        if exponent:
            factors.append((prime, exponent))
        prime += 1 if prime == 2 else 2
        if prime > LARGEST_TRIAL:
            raise _too_large(number)
    return (*factors, (number, 1)) if number > 1 else tuple(factors)


def _too_large(number: int) -> InputError:
    return InputError(
        "HW511",
        f"a slide has a factor of {number} that is too large to split into primes",
        detail="Exact edge rates need the prime factors of every slide.",
        hint="Use a coarser unit: slides in milliseconds rather than nanoseconds.",
    )


@lru_cache(maxsize=100_000)
def term(residue: int, modulus: int) -> Term:
    """The class `residue mod modulus` as conditions on primes."""
    return tuple((prime, exponent, residue % prime**exponent) for prime, exponent in factor(modulus))


def implies(narrow: Term, wide: Term) -> bool:
    """Whether every position of `narrow` is one of `wide`: each condition of wide follows from narrow's."""
    at, length = 0, len(narrow)
    for prime, exponent, residue in wide:
        while at < length and narrow[at][0] < prime:
            at += 1
        if at == length:
            return False
        other, other_exponent, other_residue = narrow[at]
        if other != prime or other_exponent < exponent or other_residue % prime**exponent != residue:
            return False
    return True


def absorb(terms: dict[Term, float], wide: Iterable[Term]) -> dict[Term, float]:
    """Drop, in place, every term that lies inside one of the `wide` terms (all certain, none empty)."""
    by_prime: dict[int, list[Term]] = {}
    for candidate in wide:
        by_prime.setdefault(candidate[0][0], []).append(candidate)
    contained = [narrow for narrow in terms if _inside_any(narrow, by_prime)]
    for narrow in contained:
        del terms[narrow]
    return terms


def _inside_any(narrow: Term, by_prime: dict[int, list[Term]]) -> bool:
    for prime, _, _ in narrow:
        for wide in by_prime.get(prime, ()):
            if wide != narrow and implies(narrow, wide):
                return True
    return False
