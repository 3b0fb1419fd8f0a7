"""Determination closure: what the equality of two index vectors determines.

Two copies of an access (two blocks, or two iterations, or two lanes) are assumed to touch one element. From that, and
from the guards of both, equalities are derived to a fixpoint until every goal (say, that the two blocks are one) is
an equality, or the assumption is absurd. Atoms of the second copy carry `copy == 1`; a derived equality is a
substitution, so that functions of equal values become equal by construction.

The rules, each with its side condition where it is applied:

    factor     s*p == 0 and s >= 1                                    =>  p == 0
    merge      a == a' for corresponding atoms                        =>  a' is replaced by a
    solve      a == t for a coordinate a that t does not mention      =>  a is replaced by t, its range stays
    peel       d*h + r == 0 and -d < r < d                            =>  h == 0 and r == 0
    inverse    x//d == x'//d and x%d == x'%d                          =>  x == x'
    quotient   x//d == x'//d, d >= 1                                  =>  -d < x - x' < d
    congruent  x%d == x'%d and -d < x - x' < d                        =>  x == x'
    reduce     0 <= x < d                                             =>  x%d is x and x//d is 0
    exact      u%d == 0                                               =>  (u*v + r)//d is (u//d)*v + r//d
    range      p == 0 although p >= 1 or p <= -1                      =>  absurd
    exclusive  the guards of the two copies contradict each other     =>  absurd
    squeeze    p >= 0 and p <= 0 follow from the guards               =>  p == 0
    split      a condition, or which argument is the least            =>  both cases
    data       X[i] == X[j] for a declared injective X                =>  i == j
    segment    X[i] <= p < X[i+1], the same for j, X monotone         =>  i == j
    ticket     one value of a counter declared a ticket dispenser     =>  one block
"""

from tilecheck.solver.disjointness.assumptions import caps_the_grid
from tilecheck.solver.disjointness.copies import prime_atoms, ticket_of, ticket_step
from tilecheck.solver.disjointness.data import within_array
from tilecheck.solver.disjointness.derive import RULES, derive
from tilecheck.solver.disjointness.problem import Annotations, Assumption, Derivation, Problem

__all__ = [
    "RULES", "Annotations", "Assumption", "Derivation", "Problem", "caps_the_grid", "derive", "prime_atoms",
    "ticket_of", "ticket_step", "within_array",
]
