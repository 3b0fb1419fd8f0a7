"""Terms are written in the names of the source, and in the order in which the checker has them."""

from __future__ import annotations

from tilecheck.contracts import render
from tilecheck.interp.kernel.source_names import spell_condition, spell_term
from tilecheck.symbolic import Counter, bid, floordiv, ge, lane, of, symbol


def test_loops_and_lanes_have_their_names() -> None:
    loop, tile = of(Counter("i@12/3.1")), symbol("T")
    term = loop * tile + lane(0, tile) + floordiv(bid(0), symbol("H"))
    assert spell_term(term) == "i*T + bid(0) // H + lane"
    assert spell_condition(ge(symbol("n"), loop + 1)) == "i < n"


def test_a_coordinate_of_a_cell_is_written_as_the_kernel_asks_for_it() -> None:
    assert spell_term(of(Counter("z__coordinate1@4")) * 2) == "2*z.coords(cell)[1]"
    assert spell_term(symbol("z__nested0") + 1) == "z.pieces(...)[0] + 1"


def test_names_do_not_change_contract_text() -> None:
    loop = of(Counter("grid@3"))
    assert spell_term(loop + symbol("grid[0]")) == "grid + grid[0]"
    assert render(symbol("grid[0]") * 2 + symbol("z")) == "2*grid[0] + z"
