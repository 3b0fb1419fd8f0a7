"""The report for people."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.report.sample import KERNEL, PAIR, PLAIN, REPORT, lines, span
from tilecheck.diagnostics import Note, Report
from tilecheck.report.style import Style
from tilecheck.report.text import render_diagnostic, render_text

PLAIN_STYLE = Style()


def test_a_pair_shows_both_accesses_the_witness_in_numbers_and_the_help() -> None:
    assert render_diagnostic(PAIR, lines, PLAIN_STYLE).splitlines() == [
        "error[TC101]: two blocks write the same element of dst",
        " --> kernels/copy.py:9:5 in copy",
        "  |",
        "8 |     ct.store(dst, (2 * i,), tile)",
        "  |     ----------------------------- the other write, block 1",
        "9 |     ct.store(dst, (i + 1,), tile)",
        "  |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ block 1",
        "  |",
        "  = witness: grid (2, 1, 1), T = 1, ids[3] = 7",
        "             line 8 in block 1, lane (0)",
        "             line 9 in block 1, iteration 2 of k",
        "             both touch element [2]",
        "  = note: equal values are no excuse",
        "  = help: let every block write its own tile",
    ]


def test_a_statement_that_collides_within_a_block_names_the_block() -> None:
    alone = replace(PAIR, notes=())
    text = render_diagnostic(alone, lines, PLAIN_STYLE)
    assert "^ block 1\n" in text
    assert "line 9 in block 1, lane (0)" in text


def test_a_note_that_restates_the_witness_in_words_is_for_other_reports() -> None:
    note = Note("with grid (2, 1, 1) they meet", restates=True)
    text = render_diagnostic(replace(PAIR, notes=(note,)), lines, PLAIN_STYLE)
    assert "they meet" not in text


def test_lines_between_two_labels_are_left_out_but_a_single_one_is_shown() -> None:
    near = replace(PLAIN, span=span(9, 4, 12), notes=(Note("here", span(7, 4, 8)),))
    assert "8 |     ct.store(dst, (2 * i,), tile)\n9 |" in render_diagnostic(near, lines, PLAIN_STYLE)
    far = replace(near, notes=(Note("here", span(5, 0, 3)),))
    assert "\n...\n" in render_diagnostic(far, lines, PLAIN_STYLE)


def test_a_label_in_another_file_gets_a_frame_of_its_own() -> None:
    elsewhere = replace(PLAIN, notes=(Note("inlined here", span(3, 1, 4, file="other.py")),))
    text = render_diagnostic(elsewhere, lambda path: lines(path) or ["a", "b", "xabcx"], PLAIN_STYLE)
    assert " ::: other.py:3:2\n  |\n3 | xabcx\n  |  --- inlined here" in text


def test_a_file_that_cannot_be_read_still_gets_its_message() -> None:
    text = render_diagnostic(PAIR, lambda path: (), PLAIN_STYLE)
    assert "= line 8: the other write" in text
    assert "both touch element [2]" in text


def test_a_long_note_stands_below_the_frame() -> None:
    message = "a sentence that is much too long to stand beside an underline in a frame, so it goes below"
    text = render_diagnostic(replace(PLAIN, notes=(Note(message, span(8, 4, 9)),)), lines, PLAIN_STYLE)
    assert f"= note: line 8: {message}" in text


def test_a_span_over_many_lines_is_cut_in_the_middle() -> None:
    text = render_diagnostic(replace(PLAIN, span=span(1, 0, 5, end_line=10)), lines, PLAIN_STYLE)
    assert " 3 |\n" in text
    assert " 6 |" not in text
    assert "10 |" in text


def test_tabs_and_wide_characters_keep_the_underline_in_place() -> None:
    text = render_diagnostic(replace(PLAIN, span=span(10, 20, 24)), lines, PLAIN_STYLE)
    shown, underline = text.splitlines()[3:5]
    assert shown == '10 |     ct.store(dst, (0,), "\u4e2d\u6587")'
    assert underline == "   | " + " " * 23 + "^" * 6


def test_colour_is_only_paint() -> None:
    import re

    painted = render_text(REPORT, lines, colour=True, verbosity=1, statistics=True)
    assert "\x1b[" in painted
    assert re.sub(r"\x1b\[[0-9;]*m", "", painted) == render_text(REPORT, lines, verbosity=1, statistics=True)


def test_summary_counts_findings_files_and_verdicts() -> None:
    last = render_text(REPORT, lines).splitlines()[-1]
    assert last == "Found 1 error, 1 warning and 1 file not checked in 2 files; 1 kernel: 1 refuted."
    clean = Report((), (replace(KERNEL, verdict="proved"),), (), files=1)
    assert render_text(clean, lines) == "No findings in 1 file; 1 kernel: 1 proved.\n"
    assert render_text(Report((), (), (), 0), lines) == "No findings in 0 files; no kernels.\n"


def test_quiet_prints_findings_only() -> None:
    assert render_text(Report((), (KERNEL,), (), 1), lines, verbosity=-1) == ""
    assert render_text(REPORT, lines, verbosity=-1).endswith("= help: let every block write its own tile\n")


def test_verbose_lists_proofs() -> None:
    text = render_text(REPORT, lines, verbosity=1)
    assert "kernels/copy.py:5: kernel copy: refuted\n  requires grid[1] == 1  (structural, open)\n" in text
    assert "  line 8: disjoint dst: proved\n    the index is the block\n" in text
    assert "    would be proved by: injective(src)\n" in text


def test_statistics_put_the_most_frequent_rule_first() -> None:
    many = replace(REPORT, diagnostics=(PLAIN, replace(PLAIN, span=span(8, 0, 3)), PAIR))
    text = render_text(many, lines, statistics=True)
    assert "2  TC102  unproven-disjoint\n1  TC101  overlapping-write\n" in text


@pytest.mark.parametrize("message", [d.message for d in REPORT.diagnostics])
def test_a_message_appears_once(message: str) -> None:
    assert render_text(REPORT, lines).count(message) == 1
