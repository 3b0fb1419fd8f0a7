"""A scene as one page that needs nothing else: no network, no other file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import escape
from typing import Final

from tilecheck.visualize.build import BY
from tilecheck.visualize.clauses import fold_clauses, open_clauses
from tilecheck.visualize.files import read
from tilecheck.visualize.legend import grid_words, legend, remarks, source_words, states, verdict_words
from tilecheck.visualize.scene import ArrayView, Headline, Scene
from tilecheck.visualize.svg import PATTERNS, array_picture, grid_picture

__all__ = ["render_page"]

_ALARMS: Final = 4
_LONG: Final = 160
_BROKEN: Final = '<div class="broken">broken by this launch</div>'
_CODE: Final = re.compile(r"`([^`]+)`")


def render_page(scene: Scene) -> str:
    """The page."""
    parts = (
        *_head(scene), "<main>", *_header(scene), *_finding(scene), '<div class="column">', *_controls(scene),
        *(x for a in scene.arrays for x in _array(a)), "</div>", '<div class="column">', *_source(scene),
        *_obligations(scene), *_contract(scene), *_remarks(scene), *_words(scene), "</div>", "</main>", *_script(scene),
        "</body>", "</html>")
    return "\n".join(parts) + "\n"


def _text(words: str) -> str:
    """Words with code in backquotes."""
    return _CODE.sub(r"<code>\1</code>", escape(words, quote=False))


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:] + "."


def _head(scene: Scene) -> Iterator[str]:
    yield "<!DOCTYPE html>"
    yield '<html lang="en">'
    yield "<head>"
    yield '<meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield ('<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; style-src \'unsafe-inline\'; '
           'script-src \'unsafe-inline\'; img-src data:">')
    yield f"<title>{escape(scene.kernel)}: which block touches what</title>"
    yield f"<style>\n{read('picture.css')}{read('page.css')}</style>"
    yield "</head>"
    yield "<body>"
    yield f'<svg width="0" height="0" aria-hidden="true" style="position:absolute">{PATTERNS}</svg>'


def _header(scene: Scene) -> Iterator[str]:
    yield "<header>"
    yield (f'<h1>{escape(scene.kernel)} <span class="verdict {scene.verdict}">{scene.verdict}</span>'
           f'{_proviso(scene)}</h1>')
    values = ", ".join(f"{n} = {v}" for n, v in scene.values)
    grid = BY.join(map(str, scene.grid[:max(scene.axes, default=0) + 1]))
    shapes = ", ".join(f'<span class="whole">{escape(f"{a.name}: {a.shape}")}</span>' for a in scene.arrays)
    yield (f'<div class="soft">{escape(scene.file)}:{scene.line} &nbsp;·&nbsp; a launch of {grid} block'
           f'{"s" if scene.grid != (1, 1, 1) else ""}{escape(f", {values}" if values else "")} &nbsp;·&nbsp; '
           f'{shapes}</div>')
    if scene.origin:
        yield f'<div class="soft origin">{escape(_sentence(scene.origin))}</div>'
    yield "</header>"


def _proviso(scene: Scene) -> str:
    """A note on the verdict if some clause of the contract is not discharged."""
    left = sum(c.state != "discharged" for c in scene.contract)
    if scene.verdict not in ("proved", "atomic", "conditional") or not left:
        return ""
    word = "clauses" if left > 1 else "clause"
    return f' <span class="soft small">for launches that satisfy {left} {word} below</span>'


def _finding(scene: Scene) -> Iterator[str]:
    h = scene.headline
    if h is None:
        what = _text(_sentence(scene.claim))
        kind = "warning" if scene.broken else "clean"
        yield f'<section class="finding {kind}" role="note"><p class="what">{what}</p>'
        if scene.breach:
            yield _row("But", f"{_text(scene.breach)}.")
        yield "</section>"
        return
    yield f'<section class="finding {h.severity}" role="note" aria-label="finding">'
    yield f'<p class="what">{h.code}: {_text(h.what)}</p>'
    names = [scene.names[scene.blocks.index(b)] for b in h.blocks]
    if h.look:
        yield _row("Look at", f"{_text(h.look)}.")
    elif names:
        who = " and ".join(f"block {escape(n)}" for n in names)
        yield _row("Look at", f"{who}, outlined in the grid; {_text(scene.summary)}.")
    elif scene.summary:
        yield _row("Look at", _text(_sentence(scene.summary)))
    yield from _parts(scene, h)
    for n, (place, what) in enumerate(h.changes):
        key = "What to change" if n == 0 else "" if f"{place}{what}".startswith("(") else "and"
        yield _row(key, f"{escape(place)}{': ' if place else ''}{_text(what)}")
    if scene.breach:
        yield _row("The launch", _text(_sentence(scene.breach)))
    for note in h.notes:
        yield _row("Note", f"{_text(note)}.")
    if h.elsewhere:
        yield _row("Note", f"{_text(h.elsewhere)}.")
    if h.shown:
        yield _row("Not shown", _text(h.shown))
    for other in scene.findings:
        yield f'<p class="small soft">Also: {_text(other)}</p>'
    yield "</section>"


def _row(key: str, told: str) -> str:
    return f'<p class="row"><span class="key">{key}</span> <span>{told}</span></p>'


def _parts(scene: Scene, h: Headline) -> Iterator[str]:
    """The parts of the index, with their values in the blocks."""
    if not h.parts:
        return
    heads = "".join(f'<th><code>{escape(p.name)}</code> <span class="soft">{escape(p.place)}</span></th>'
                    for p in h.parts)
    rows = "".join(
        f"<tr><th>block {escape(scene.names[scene.blocks.index(b)])}</th>"
        f'{"".join(f"<td>{escape(p.values[n])}</td>" for p in h.parts)}</tr>' for n, b in enumerate(h.met))
    told = "".join(f'<td class="remark">{escape(p.remark)}</td>' for p in h.parts)
    last = f'<tr class="remarks"><th></th>{told}</tr>' if any(p.remark for p in h.parts) else ""
    yield (f'<div class="row"><span class="key">The index</span> <div class="scroll"><table class="parts"><thead><tr>'
           f"<th></th>{heads}</tr></thead><tbody>{rows}{last}</tbody></table></div></div>")


def _controls(scene: Scene) -> Iterator[str]:
    marked = [scene.blocks.index(b) for b in scene.headline.blocks] if scene.headline is not None else []
    yield '<section aria-label="grid of blocks">'
    words = f'{_text(grid_words(scene))}<span class="hint">; point at a block or select it</span>'
    yield f'<h2>The grid <span class="soft small">({words})</span></h2>'
    yield f'<div class="scroll">{grid_picture(scene, marked).standalone("grid of blocks", "blocks")}</div>'
    yield '<div class="controls">'
    if scene.steps:
        yield (f'<label>Step <input id="step" type="range" min="-1" max="{len(scene.steps) - 1}" value="-1" '
               f'aria-label="iteration"></label> <span class="soft small"><output id="number">all</output> of '
               f'{len(scene.steps)}</span>')
        yield ('<span><button id="back" type="button">Back</button> <button id="next" type="button">Step</button> '
               '<button id="play" type="button">Play</button></span>')
    hidden = "" if scene.steps else " hidden"
    yield (f'<span>showing <span{hidden}><output id="shown" aria-live="polite">all iterations</output> of </span>'
           '<output id="chosen" aria-live="polite">all blocks</output></span>')
    yield '<button id="everything" type="button">Show all</button>'
    yield "</div>"
    yield '<ul class="legend">'
    for kind, words in legend(scene):
        yield (f'<li><svg width="20" height="16" aria-hidden="true"><g class="mark {kind} many">'
               f'<rect x="1.5" y="1.5" width="17" height="13"/></g></svg>{escape(words)}</li>')
    yield from (f'<li class="soft">{words}</li>' for words in remarks(scene))
    yield "</ul>"
    yield "</section>"


def _array(array: ArrayView) -> Iterator[str]:
    yield f'<section class="array" aria-label="array {escape(array.name)}">'
    folded = f", drawn in rows of {array.folded}" if array.folded else ""
    yield (f'<h2><code>{escape(array.name)}</code> <span class="soft small">{escape(array.shape)}{folded}, '
           f"{escape(array.role)}</span></h2>")
    if array.omitted:
        yield f'<p class="small soft">{array.omitted}.</p>'
    picture = array_picture(array)
    yield f'<div class="scroll">{picture.standalone(f"array {array.name}", "array-picture")}</div>'
    for words in array.alarms[:_ALARMS]:
        yield f'<p class="alarm">{_text(words)}</p>'
    for line in array.accesses:
        yield (f'<span class="access code" data-lines="{line.number}"><span class="mode">{line.mode}</span> '
               f'<span class="soft">{escape(line.place)}</span> {escape(line.text)}</span>')
    yield "</section>"


def _words(scene: Scene) -> Iterator[str]:
    """Who touches what, in sentences, without those that stand by the pictures."""
    yield '<section class="words" aria-label="in words"><details><summary>In words</summary><ul>'
    for array in scene.arrays:
        told = array.alarms[:_ALARMS]
        yield from (f"<li>{_text(words)}</li>" for words in array.words if words not in told)
    yield "</ul></details></section>"


def _contract(scene: Scene) -> Iterator[str]:
    yield '<section aria-label="contract"><h2>What every launch must satisfy</h2>'
    if not scene.contract:
        yield '<p class="small">Nothing.</p>'
    else:
        seen = open_clauses(scene)
        if seen:
            yield "<table><thead><tr><th>clause</th><th>kind</th><th>at launches seen</th></tr></thead><tbody>"
        for c in seen:
            yield (f"<tr><td><code>{escape(c.clause)}</code></td><td>{c.kind}</td>"
                   f'<td class="{c.state}">{c.state}{_BROKEN if c.broken else ""}</td></tr>')
        if seen:
            yield "</tbody></table>"
        for f in fold_clauses(scene):
            yield f'<details class="clauses"><summary>{escape(f.words)}</summary><ul>'
            yield from (f"<li><code>{escape(x)}</code></li>" for x in f.clauses)
            yield "</ul></details>"
        yield from (f'<p class="small soft note">{word}: {told}</p>' for word, told in states(scene))
    yield "</section>"


def _obligations(scene: Scene) -> Iterator[str]:
    yield '<section aria-label="obligations"><h2>What must hold, and whether it does</h2>'
    if not scene.obligations:
        yield '<p class="small">The kernel writes nothing.</p>'
    else:
        yield "<table><thead><tr><th>where</th><th>what must hold</th><th>verdict</th></tr></thead><tbody>"
        for o in scene.obligations:
            yield (f"<tr><td>{escape(o.place)}</td><td><code>{escape(o.array)}</code>: {escape(o.what)}"
                   f"{_why(o.why)}</td>"
                   f'<td><span class="verdict {o.verdict}">{o.verdict}</span></td></tr>')
        yield "</tbody></table>"
        yield from (f'<p class="small soft note">{told}</p>' for told in verdict_words(scene))
    yield "</section>"


def _why(words: str) -> str:
    """The reason of a verdict; a long one is folded away."""
    if len(words) <= _LONG:
        return f'<div class="soft small">{_text(words)}</div>'
    return f'<details class="soft"><summary>why</summary><div class="small">{_text(words)}</div></details>'


def _source(scene: Scene) -> Iterator[str]:
    yield f'<section aria-label="source"><h2>{escape(scene.file)}</h2><div class="source code">'
    previous: int | None = None
    for line in scene.source:
        flagged = ' class="flagged"' if line.flagged else ' class="related"' if line.related else ""
        if previous is not None and line.number != previous + 1:
            yield '<div class="gap">…</div>'
        previous = line.number
        accesses = " ".join(map(str, line.accesses))
        lit = f' data-lines="{accesses}"' if accesses else ""
        # long lines go on below, further in than they begin
        inward = len(line.text) - len(line.text.lstrip()) + 4
        yield (f'<div{flagged}{lit}><span class="n">{line.number}</span><span class="t" style="padding-left:{inward}ch;'
               f'text-indent:-{inward}ch">{escape(line.text)}</span></div>')
        if line.note:
            yield (f'<div class="said"><span class="n"></span><span class="t" style="padding-left:{inward}ch;'
                   f'text-indent:-4ch">{escape(line.note)}</span></div>')
    yield "</div>"
    yield from (f'<p class="small soft note">{words}</p>' for words in source_words(scene, "yellow"))
    yield "</section>"


def _remarks(scene: Scene) -> Iterator[str]:
    if scene.remarks:
        yield '<section aria-label="remarks"><h2>About this picture</h2><ul class="small">'
        yield from (f"<li>{_text(r)}</li>" for r in scene.remarks)
        yield "</ul></section>"


def _script(scene: Scene) -> Iterator[str]:
    steps = json.dumps(scene.steps).replace("<", "\\u003c")
    yield f'<script id="steps" type="application/json">{steps}</script>'
    yield f"<script>\n{read('page.js')}</script>"
