// Keys, selections, copying, and answers in place. Without this file every link and form works all the same.
const policy = window.trustedTypes ? trustedTypes.createPolicy("loam", { createHTML: (text) => text }) : { createHTML: (text) => text };
const all = (selector, of = document) => [...of.querySelectorAll(selector)];
const one = (selector, of = document) => of.querySelector(selector);
const store = {
  get(key) { try { return localStorage.getItem("loam." + key); } catch { return null; } },
  set(key, value) { try { localStorage.setItem("loam." + key, value); } catch { /* private mode: forgotten with the page */ } },
};
const say = (text, failed) => {
  const said = one("#said");
  if (!said) return;
  const box = document.createElement("div");
  const line = document.createElement("p");
  box.className = failed ? "flash failed" : "flash";
  line.textContent = text;
  box.append(line);
  said.replaceChildren(box);
};

const theme = store.get("theme");
if (theme) document.documentElement.dataset.theme = theme;

// Times are shown in the zone of the browser; the title has UTC.
const times = (of) => all("time[datetime]", of).forEach((t) => {
  const at = new Date(t.dateTime);
  if (!isNaN(at) && /^\d{4}-/.test(t.textContent)) t.textContent = at.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
});

const rows = () => all("[data-row]");
let at = -1;
const move = (by) => {
  const list = rows();
  if (!list.length) return;
  at = Math.max(0, Math.min(list.length - 1, at + by));
  list.forEach((row, i) => row.classList.toggle("at", i === at));
  const target = one("a[href]", list[at]) ?? one("input[data-select]", list[at]); // Enter opens what has the focus
  if (target) target.focus({ preventScroll: true });
  list[at].scrollIntoView({ block: "nearest" });
};
const count = () => {
  const n = all("input[data-select]:checked").length;
  all("[data-count]").forEach((e) => { e.textContent = n ? `${n} selected` : "Nothing selected"; });
};

const keysOn = () => store.get("keys") !== "off";
const typing = (e) => e.target.closest("input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]");
let went = 0;
const press = (key) => {
  const target = all("[data-key]").find((e) => e.dataset.key === key && !e.disabled && e.offsetParent !== null);
  if (!target) return false;
  if (target.matches("input, textarea, select")) { target.focus(); target.select?.(); } else target.click();
  return true;
};
document.addEventListener("keydown", (e) => {
  if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || !keysOn() || document.querySelector("dialog[open]")) return;
  if (typing(e)) { if (e.key === "Escape") e.target.blur(); return; }
  const key = e.key;
  let done = true;
  if (Date.now() - went < 1500) {
    went = 0;
    const to = one(`[data-go="${CSS.escape(key)}"]`);
    if (to) to.click(); else done = false;
  } else if (key === "g") went = Date.now();
  else if (key === "?") one("#keys")?.showModal();
  else if (key === "j") move(1);
  else if (key === "k") move(-1);
  else if (key === "x") { const box = at >= 0 && one("input[data-select]", rows()[at]); if (box) { box.checked = !box.checked; count(); } else done = false; }
  else if (key === "Enter" && e.target === document.body && at >= 0) one("a[href]", rows()[at])?.click();
  else if (key === "u") { const undo = one(".flash .undo"); if (undo) undo.click(); else done = press("u"); }
  else if (key === "Escape") { if (!press("Escape")) history.back(); }
  else done = press(key);
  if (done) e.preventDefault();
});

// A form is sent in the background and its page replaces the content of this one. What was typed stays when it fails.
const replace = async (form, button) => {
  const body = new URLSearchParams(new FormData(form, button));
  let answer;
  try {
    answer = await fetch(form.action, { method: "POST", body, credentials: "same-origin", headers: { Accept: "text/html" } });
  } catch {
    say("The server does not answer. What you typed is still here: try again when loam mcp start has run.", true);
    return;
  }
  if (answer.status === 401) {
    say("You were signed out. Run loam console in another window, sign in there, and repeat this.", true);
    return;
  }
  const page = new DOMParser().parseFromString(policy.createHTML(await answer.text()), "text/html");
  const fresh = one("main", page);
  if (!fresh) { say("The answer of the server is no page: load this one again.", true); return; }
  one("main").replaceWith(document.adoptNode(fresh));
  document.title = page.title;
  if (answer.redirected) history.pushState({}, "", answer.url);
  at = -1;
  begin(one("main"));
  one("main").focus();
};
addEventListener("popstate", () => location.reload());
document.addEventListener("submit", (e) => {
  const form = e.target;
  if (form.matches("[data-once]")) { if (form.dataset.sent) { e.preventDefault(); return; } form.dataset.sent = "1"; }
  if (!form.matches("form[data-inplace]") || form.method !== "post") return;
  e.preventDefault();
  replace(form, e.submitter);
});
document.addEventListener("change", (e) => {
  if (e.target.matches("[data-all]")) { all("input[data-select]").forEach((b) => { b.checked = e.target.checked; }); count(); }
  else if (e.target.matches("[data-select]")) count();
  else if (e.target.matches("[data-keys]")) store.set("keys", e.target.checked ? "on" : "off");
});
document.addEventListener("click", async (e) => {
  const copy = e.target.closest("[data-copy]");
  if (copy) {
    try { await navigator.clipboard.writeText(copy.dataset.copy); copy.textContent = "Copied"; } catch { say("The browser does not allow copying: select the text.", true); }
    return;
  }
  if (e.target.closest("[data-help]")) one("#keys")?.showModal();
  if (e.target.closest("[data-theme]:is(button)")) {
    const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    document.documentElement.dataset.theme = dark ? "light" : "dark";
    store.set("theme", document.documentElement.dataset.theme);
  }
});

// The session ends when nothing was asked for so long; two minutes before, the page says so.
const ends = Number(document.body.dataset.ends);
if (ends > 120) setTimeout(() => {
  say("Your session ends in two minutes: load any page to stay signed in. What you typed is not lost as long as this page is open.", true);
}, (ends - 120) * 1000);

const begin = (of) => {
  times(of);
  count();
  all("[data-copy][hidden], [data-help][hidden], [data-theme][hidden]").forEach((e) => { e.hidden = false; });
  const keys = one("[data-keys]");
  if (keys) keys.checked = keysOn();
};
begin(document);
