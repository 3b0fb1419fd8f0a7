"use strict";
(() => {
  const all = (selector) => Array.from(document.querySelectorAll(selector));
  const marks = all(".mark[data-at]").map((node) => ({
    node,
    at: node.dataset.at.split(" ").map((pair) => pair.split(":").map(Number)),
    accesses: node.dataset.access.split(" ").map(Number),
  }));
  const blocks = all(".block");
  const lines = all("[data-lines]");
  const slider = document.getElementById("step");
  const names = JSON.parse(document.getElementById("steps").textContent);
  const shown = document.getElementById("shown");
  const chosen = document.getElementById("chosen");
  const number = document.getElementById("number");
  const play = document.getElementById("play");
  let block = -1, hover = -1, access = -1, step = -1, timer = 0;

  function draw() {
    const who = hover >= 0 ? hover : block;
    const busy = new Set();
    for (const mark of marks) {
      const now = mark.at.filter((pair) => step < 0 || pair[1] === step);
      const mine = now.some((pair) => pair[0] === who);
      if (mine) mark.accesses.forEach((a) => busy.add(a));
      const wanted = access < 0 || mark.accesses.includes(access);
      mark.node.classList.toggle("faded", now.length === 0 || !wanted || (who >= 0 && !mine));
      mark.node.classList.toggle("lit", (who >= 0 && mine && wanted) || (access >= 0 && wanted && now.length > 0));
    }
    for (const node of blocks) {
      const own = Number(node.dataset.block);
      const active = marks.some((m) => m.at.some((p) => p[0] === own && (step < 0 || p[1] === step)));
      node.classList.toggle("chosen", own === block);
      node.classList.toggle("faded", !active || (who >= 0 && own !== who));
      node.setAttribute("aria-pressed", String(own === block));
    }
    for (const node of lines) {
      const own = node.dataset.lines.split(" ").map(Number);
      node.classList.toggle("lit", own.some((a) => a === access || (who >= 0 && busy.has(a))));
    }
    shown.textContent = step < 0 ? "all iterations" : names[step];
    if (number) number.textContent = step < 0 ? "all" : String(step + 1);
    chosen.textContent = block < 0 ? "all blocks" : blocks.find((n) => Number(n.dataset.block) === block).getAttribute("aria-label");
    if (slider) { slider.value = String(step); slider.setAttribute("aria-valuetext", shown.textContent); }
    document.body.dataset.step = String(step);
    document.body.dataset.block = String(block);
  }

  function select(number) { block = block === number ? -1 : number; draw(); }
  function move(to) { step = Math.max(-1, Math.min(names.length - 1, to)); draw(); }
  function stop() { clearInterval(timer); timer = 0; if (play) play.textContent = "Play"; }

  for (const node of blocks) {
    const own = Number(node.dataset.block);
    node.addEventListener("click", () => select(own));
    node.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); select(own); }
    });
    node.addEventListener("mouseenter", () => { hover = own; draw(); });
    node.addEventListener("mouseleave", () => { hover = -1; draw(); });
  }
  for (const node of lines) {
    const own = node.dataset.lines.split(" ").filter(Boolean).map(Number);
    node.addEventListener("mouseenter", () => { access = own.length ? own[0] : -1; draw(); });
    node.addEventListener("mouseleave", () => { access = -1; draw(); });
  }
  for (const mark of marks) {
    mark.node.addEventListener("click", () => select(mark.at[0][0]));
  }
  if (slider) {
    slider.addEventListener("input", () => { stop(); move(Number(slider.value)); });
    document.getElementById("back").addEventListener("click", () => { stop(); move(step - 1); });
    document.getElementById("next").addEventListener("click", () => { stop(); move(step + 1); });
    play.addEventListener("click", () => {
      if (timer) { stop(); return; }
      play.textContent = "Pause";
      if (step >= names.length - 1) move(-1);
      timer = setInterval(() => { if (step >= names.length - 1) stop(); else move(step + 1); }, 900);
    });
  }
  document.getElementById("everything").addEventListener("click", () => { stop(); block = -1; move(-1); });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { stop(); block = -1; move(-1); }
  });

  // a link can open the picture at a block and a step: #block=3&step=1
  const asked = new URLSearchParams(location.hash.slice(1));
  if (asked.has("block") && blocks.some((n) => n.dataset.block === asked.get("block"))) block = Number(asked.get("block"));
  if (asked.has("step") && names.length) step = Math.max(-1, Math.min(names.length - 1, Number(asked.get("step")) || 0));
  document.body.dataset.ready = "true";
  draw();
})();
