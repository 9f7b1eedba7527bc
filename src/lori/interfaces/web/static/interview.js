// Answers without a new page: without this script the same forms work as they are.
"use strict";
(() => {
  const main = document.getElementById("main");
  const live = document.getElementById("live");
  const keys = { ArrowLeft: "left", ArrowRight: "right", ArrowDown: "tie" };
  let busy = false;

  async function send(form, button) {
    if (busy) return;
    busy = true;
    const body = new URLSearchParams(new FormData(form));
    if (button && button.name) body.set(button.name, button.value);
    if (button) button.setAttribute("aria-disabled", "true");
    for (let attempt = 0; attempt < 5; attempt++) {
      try {
        const reply = await fetch(form.action, { method: "POST", body, headers: { "X-Part": "1" }, credentials: "same-origin" });
        if (reply.status >= 500) throw new Error("later");
        if (!reply.ok || reply.headers.get("X-Part") !== "1") { location.assign("/"); return; }
        main.innerHTML = await reply.text();
        const heading = document.getElementById("which");
        if (heading) heading.focus({ preventScroll: true });
        window.scrollTo(0, 0);
        const progress = document.getElementById("progress");
        live.textContent = (progress || heading || { textContent: "" }).textContent;
        busy = false;
        return;
      } catch (error) {
        await new Promise((wake) => setTimeout(wake, 300 * 2 ** attempt));
      }
    }
    busy = false;
    location.assign("/");
  }

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.id !== "ask" && form.id !== "undo") return;
    event.preventDefault();
    send(form, event.submitter);
  });
  document.addEventListener("keydown", (event) => {
    const form = document.getElementById("ask");
    if (!form || !(event.key in keys) || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.repeat) return;
    const button = form.querySelector(`button[name="answer"][value="${keys[event.key]}"]`);
    if (!button) return;
    event.preventDefault();
    send(form, button);
  });
  window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
})();
