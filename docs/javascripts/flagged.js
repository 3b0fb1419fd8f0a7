"use strict";
// Code with a finding on it is marked as such: "# error: TC101" alone is easily overlooked.
for (const comment of document.querySelectorAll(".highlight .c1")) {
  if (/^#\s*error:\s*TC\d/.test(comment.textContent)) {
    comment.classList.add("tc-finding");
    comment.closest(".highlight").classList.add("tc-flagged");
  }
}
