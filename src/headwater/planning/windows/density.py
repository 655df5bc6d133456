"""The share of all positions that lie in at least one of many residue classes, exactly.

Plain inclusion-exclusion over n classes has 2**n terms, and the composite slide (the lcm) of fifty
slides has twenty digits; neither can be enumerated.  The same number follows from the structure:

  1. A prime that only one class uses is independent of everything else: it becomes that class's weight.
  2. Classes that share no prime are independent: the union of groups is  a + b - a*b.
  3. What is left is connected.  Pick the prime p that most classes use and sum over the position's
     residue mod p: each class that uses p either dies or loses that condition, and all residues that no
     class names are one case.  This is inclusion-exclusion, a prime at a time.
  4. Contained classes are dropped and equal ones merged after every step; every connected group's
     answer is remembered, so trees that differ by one query share nearly all of the work.

    {0 mod 4, 0 mod 6}:  p = 2.  x even: {0 mod 2, 0 mod 3} = 1/2 + 1/3 - 1/6 = 2/3;  x odd: nothing.
                         (2/3 + 0) / 2 = 1/3

Invariant: every step adds and multiplies non-negative numbers, so nothing cancels and the float answer
is good to about 1e-14 relative, however rare the edges are.
Cost: slides whose ranges are multiples of them need milliseconds for hundreds of slides.  Counting a
union of arbitrary classes is #P-hard in general; 200 random slides up to 1,000 with arbitrary ranges
take about a second, and that is the doubt we keep.
"""

from __future__ import annotations

from headwater.planning.windows.residues import Term, absorb

__all__ = ["density", "forget_densities"]

Weights = dict[Term, float]

REMEMBERED = 400_000
_shares: dict[frozenset[tuple[Term, float]], float] = {}


def density(terms: frozenset[Term]) -> float:
    """The share of positions in the union of the classes."""
    if () in terms:
        return 1.0
    return _union(absorb(dict.fromkeys(terms, 1.0), terms))


def forget_densities() -> None:
    """Empty the memory, so that the next answer is worked out from nothing (for honest timing)."""
    _shares.clear()


def _union(terms: Weights) -> float:
    """Steps 1 and 2: lift private primes into weights, then combine independent groups."""
    terms = _lift_private_primes(terms)
    share = terms.pop((), 0.0)
    if share >= 1.0 or not terms:
        return min(share, 1.0)
    for group in _groups(terms):
        share += (1.0 - share) * _connected(group)
    return share


def _lift_private_primes(terms: Weights) -> Weights:
    while True:
        uses = _uses_of_primes(terms)
        if 1 not in uses.values():
            return dict(terms)
        terms = _without_private_primes(terms, uses)


def _without_private_primes(terms: Weights, uses: dict[int, int]) -> Weights:
    lifted: Weights = {}
    for term, weight in terms.items():
        kept = term
        for atom in term:
            if uses[atom[0]] == 1:
                weight /= atom[0] ** atom[1]
                kept = tuple(other for other in kept if other is not atom)
        _join(lifted, kept, weight)
    return lifted


def _join(terms: Weights, term: Term, weight: float) -> None:
    """Add a term; equal terms merge, their weights being chances of independent events."""
    before = terms.get(term)
    terms[term] = weight if before is None else before + weight - before * weight


def _groups(terms: Weights) -> list[Weights]:
    """Split the terms so that terms of different groups share no prime."""
    group_of: dict[int, list[Term]] = {}
    primes_of: dict[int, list[int]] = {}
    for term in terms:
        primes = [atom[0] for atom in term]
        linked = {id(group_of[prime]): group_of[prime] for prime in primes if prime in group_of}
        home = max(linked.values(), key=len, default=[])
        merged = primes_of.setdefault(id(home), [])
        for other in linked.values():
            if other is not home:
                home.extend(other)
                merged.extend(primes_of.pop(id(other)))
        merged.extend(primes)
        home.append(term)
        for prime in merged if len(linked) > 1 else primes:
            group_of[prime] = home
    distinct = {id(group): group for group in group_of.values()}
    return [{term: terms[term] for term in group} for group in distinct.values()]


def _connected(terms: Weights) -> float:
    """Step 3, remembered: the union of terms that hang together."""
    key = frozenset(terms.items())
    share = _shares.get(key)
    if share is None:
        share = _sum_over(_busiest_prime(terms), terms)
        if len(_shares) >= REMEMBERED:
            _shares.clear()
        _shares[key] = share
    return share


def _busiest_prime(terms: Weights) -> int:
    uses = _uses_of_primes(terms)
    return max(uses, key=lambda prime: (uses[prime], -prime))


def _uses_of_primes(terms: Weights) -> dict[int, int]:
    """How many terms have a condition on each prime."""
    uses: dict[int, int] = {}
    for term in terms:
        for prime, _, _ in term:
            uses[prime] = uses.get(prime, 0) + 1
    return uses


def _sum_over(prime: int, terms: Weights) -> float:
    """The average of the union over the residues of a position modulo `prime`."""
    cases, rest = _cases(prime, terms)
    total = 0.0
    for case in cases.values():
        if case.get(()) == 1.0:
            total += 1.0
            continue
        certain = [term for term, weight in case.items() if weight == 1.0]
        for term, weight in rest.items():
            _join(case, term, weight)
        total += _union(absorb(case, certain) if certain else case)
    if len(cases) < prime:
        total += (prime - len(cases)) * _union(rest)
    return total / prime


def _cases(prime: int, terms: Weights) -> tuple[dict[int, Weights], Weights]:
    """For each residue mod `prime`, what the terms that name it become; and the terms without the prime."""
    cases: dict[int, Weights] = {}
    rest: Weights = {}
    for term, weight in terms.items():
        for at, (base, exponent, residue) in enumerate(term):
            if base == prime:
                left = ((prime, exponent - 1, residue // prime),) if exponent > 1 else ()
                case = cases.setdefault(residue % prime, {})
                _join(case, term[:at] + left + term[at + 1 :], weight)
                break
        else:
            rest[term] = weight
    return cases, rest
