"use strict";
// One page, no framework. What the class has written down is shown as such, and nothing before that.
const $ = (id) => document.getElementById(id);
const store = {
  get(key) { try { return JSON.parse(localStorage.getItem("teachrun." + key)); } catch { return null; } },
  set(key, value) { try { localStorage.setItem("teachrun." + key, JSON.stringify(value)); } catch { /* private */ } },
};
const jitter = (s) => 1000 * s * (0.75 + 0.5 * Math.random());

let code = (location.hash.slice(1) || store.get("code") || "").toUpperCase();
let token = store.get("token") || "", name = store.get("name") || "", team = "", counter = store.get("n") || 0;
let page = {questions: []}, states = {}, seated = false, ended = false, wasOpened = 0, failures = 0, heardAt = 0;
let socket = null, posting = false, posts = 0, wait = 0.5, retry = 0, have = 0;
const mine = {};   // by question: what the class has written down
const draft = {};  // by question: what stands on this page
let pending = store.get("pending") || {};  // by question: sent, not yet written down
let begun = store.get("begun") || {};  // by question: typed, not sent; a phone drops a page that nobody looks at
let wish = store.get("wish");  // asked, not yet with the lecturer
let unheard = {};  // said while there was no WebSocket to say it on
const deadlines = {}, late = {};

function say(text) { $("said").textContent = text; }
function link(kind, text) { $("dot").className = "dot " + kind; if ($("link").textContent !== text) $("link").textContent = text; }

// --- the line to the class -----------------------------------------------------------------------------

const hello = () => ({t: "hello", v: 1, code, token, name, team});
const waiting = () => [...Object.values(pending), ...(wish ? [wish] : []), ...Object.values(unheard)];

function connect() {
  if (ended || socket || posting) return;
  link("late", "connecting");
  const url = location.origin.replace(/^http/, "ws") + "/phone";
  let opened = false, own;
  try { own = socket = new WebSocket(url); } catch { failures += 1; return again(); }
  const slow = setTimeout(() => own.close(), 8000);
  own.onopen = () => { opened = true; failures = 0; wasOpened += 1; clearTimeout(slow); heardAt = Date.now(); send(hello()); };
  own.onmessage = (event) => { heardAt = Date.now(); wait = 0.5; take(JSON.parse(event.data)); };
  own.onclose = () => {
    clearTimeout(slow);
    if (socket === own) socket = null;
    seated = false;
    if (!opened) failures += 1;
    again();
  };
}

function again(seconds) {
  if (ended) return;
  link("off", "not connected, trying again");
  clearTimeout(retry);
  // A network that lets no WebSocket through is asked by POST.
  if (failures >= 2 && !wasOpened) { retry = setTimeout(post, jitter(0.4)); return; }
  retry = setTimeout(connect, jitter(seconds || wait));
  wait = Math.min(8, wait * 1.7);
}

function send(message) { if (socket && socket.readyState === 1) socket.send(JSON.stringify(message)); }
function tell(about, message) { if (seated && !posting) send(message); else unheard[about] = message; }

async function post() {
  if (ended) return;
  posting = true;
  // What kept WebSockets away may have passed: once a minute one is tried.
  if (++posts % 30 === 0) { posting = false; failures = 1; connect(); return; }
  let next = 2, lost = false;
  const told = unheard;
  try {
    const body = JSON.stringify([hello(), ...waiting(), {t: "alive"}]);
    const answer = await fetch("/say", {method: "POST", body, headers: {"content-type": "application/json"}});
    if (!answer.ok) throw new Error(String(answer.status));
    heardAt = Date.now();
    const heard = await answer.json();
    for (const [about, one] of Object.entries(told)) if (unheard[about] === one) delete unheard[about];
    for (const message of heard) take(message);
    if (seated) link("on", "connected, looking every 2 s");
    wait = 0.5;
  } catch {
    link("off", "not connected, trying again");
    seated = false; lost = true;
    next = wait = Math.min(8, wait * 1.7);
  }
  if (token || seated || lost) retry = setTimeout(post, jitter(next)); else posting = false;
}

setInterval(() => {
  if (!seated || posting) return;
  if (Date.now() - heardAt > 25000) { if (socket) socket.close(); return; }
  send({t: "alive"});
}, jitter(10));
setInterval(() => { if (seated && !posting) for (const one of waiting()) send(one); }, jitter(3));
addEventListener("online", () => { wait = 0.5; if (!socket) again(0.2); });
addEventListener("offline", () => { link("off", "no network"); if (socket) socket.close(); });
document.addEventListener("visibilitychange", () => { if (!document.hidden && !socket && !posting && token) { wait = 0.5; again(0.1); } });

// --- what the class says -------------------------------------------------------------------------------

const NO = {
  code: "That is not the code on the screen.", shut: "The door is shut: ask the teacher to open it.",
  name: "Please give a name.", team: "Please choose a team.", full: "All seats are taken.", later: "Too many at once: try again in a moment.",
  test: "It works: this phone reaches the class.",
  out: "The teacher has put this seat out.", version: "This page is older than the class: reload it.",
};

function take(message) {
  switch (message.t) {
    case "seat":
      // What was meant for another class, served from here before, is not for this one.
      if (message.token !== token) { pending = {}; begun = {}; keep(); wish = null; store.set("wish", null); }
      token = message.token; name = message.name; seated = true;
      store.set("token", token); store.set("name", name); store.set("code", code);
      $("who").textContent = "you are " + name + (message.team ? ", team " + message.team : "");
      $("reactions").hidden = !message.reactions;
      $("join").hidden = true; $("room").hidden = false;
      link("on", "connected");
      for (const one of waiting()) send(one);
      if (!posting) unheard = {};
      break;
    case "no": refused(message.why, message.teams || []); break;
    case "page":
      if (message.v !== have) { have = message.v; page = message.page; draw(); }
      break;
    case "state": state(message); break;
    case "mine":
      mine[message.q] = message;
      if (message.n > counter) counter = message.n;
      if (!pending[message.q] && !begun[message.q]) { draft[message.q] = {choice: message.choice, text: message.text}; draw(); }
      break;
    case "in":
      for (const [q, one] of Object.entries(pending)) if (one.n === message.n) {
        mine[q] = one; delete pending[q]; delete late[q]; keep(); mark(q);
        say("Your answer is in.");
      }
      break;
    case "late":
      if (pending[message.q] && pending[message.q].n === message.n) {
        delete pending[message.q]; keep(); late[message.q] = true;
        const kept = mine[message.q];
        draft[message.q] = kept ? {choice: kept.choice, text: kept.text} : {};
        say("Your answer came too late."); draw();
      }
      break;
    case "asked":
      if (wish && wish.n === message.n) {
        $("asking").textContent = message.why ? "That is enough for now." : "It is with the lecturer.";
        wish = null; store.set("wish", null);
      }
      break;
    case "room": room(message.asked); break;
    case "elsewhere": ended = true; link("off", "opened again in another window"); say("This page was opened again elsewhere."); break;
    case "back": again(message.s); break;
  }
}

// --- to the lecturer -----------------------------------------------------------------------------------


const supported = {};

$("ask").onsubmit = (event) => {
  event.preventDefault();
  const text = $("wish").value.trim();
  if (!text || wish) return;
  counter += 1; store.set("n", counter);
  wish = {t: "ask", n: counter, text}; store.set("wish", wish);
  $("wish").value = ""; $("asking").textContent = "On its way …";
  send(wish);
};

for (const button of document.querySelectorAll("[data-feel]")) button.onclick = () => {
  const on = button.getAttribute("aria-pressed") !== "true";
  for (const one of document.querySelectorAll("[data-feel]")) one.setAttribute("aria-pressed", String(on && one === button));
  tell("feel", {t: "feel", word: on ? button.dataset.feel : ""});
};


function room(asked) {
  const rows = asked.map(([id, text, votes]) => make("p", {dir: "auto"}, text + " ",
    make("button", {type: "button", "aria-pressed": String(!!supported[id]), disabled: !!supported[id], onclick() {
      supported[id] = true; tell("support " + id, {t: "support", id}); this.disabled = true; this.setAttribute("aria-pressed", "true");
    }}, `me too (${votes})`)));
  $("asked").replaceChildren(...(rows.length ? [make("h2", null, "The room asks"), ...rows] : []));
}

for (const button of document.querySelectorAll("[data-react]")) button.onclick = () => {
  tell("react", {t: "react", word: button.dataset.react});
  say(button.getAttribute("aria-label") + ", sent");
};

function refused(why, teams) {
  if (why === "out" || why === "version") ended = true;
  if (why !== "later") { token = ""; store.set("token", ""); }
  seated = false;
  if (ended) link("off", "not connected"); else if (!posting) link("late", "connected, not yet in");
  if (why === "name") $("naming").hidden = false;
  if (teams.length) {
    $("teaming").hidden = false;
    $("team").replaceChildren(make("option", {value: ""}, "choose"), ...teams.map((one) => make("option", {value: one}, one)));
  }
  join(NO[why] || "The class does not take this phone.");
}

function join(trouble) {
  $("room").hidden = true; $("join").hidden = false;
  $("code").value = code;
  $("trouble").textContent = trouble || "";
  (!trouble ? $("code") : trouble === NO.team ? $("team") : $("naming").hidden ? $("code") : $("name")).focus();
}

$("join").onsubmit = (event) => {
  event.preventDefault();
  code = $("code").value.trim().toUpperCase();
  name = $("name").value.trim(); team = $("team").value;
  if (!code) return;
  $("trouble").textContent = "";
  if (socket && socket.readyState === 1) send(hello()); else { failures = 0; if (posting) post(); else connect(); }
};

function state(message) {
  const before = states;
  states = message.q;
  let anew = false;
  for (const [q, one] of Object.entries(states)) {
    const was = before[q];
    if (one.left === undefined) delete deadlines[q]; else deadlines[q] = Date.now() + 1000 * one.left;
    if (begun[q] && (begun[q].r !== one.r || one.p !== "open")) { delete begun[q]; keep(); draft[q] = mine[q] || {}; anew = true; }
    else if (begun[q] && !draft[q]) draft[q] = {choice: [], text: begun[q].text};
    if (!was || was.p !== one.p || was.r !== one.r) {
      anew = true;
      if (was && was.r !== one.r) { delete mine[q]; delete draft[q]; delete pending[q]; keep(); say("The question is asked again."); }
      else if (!was && one.p === "open") say("A question is open.");
      else if (was && one.p === "locked") say("Answers are closed.");
      else if (was && one.p === "revealed") say("The answer is shown.");
      delete late[q];
    }
  }
  if (anew) draw(); else Object.keys(states).forEach(mark);
}

function keep() { store.set("pending", pending); store.set("begun", begun); }

function answer(q, choice, text) {
  const now = states[q];
  draft[q] = {choice, text};
  delete begun[q];
  if (!now || now.p !== "open") return;
  counter += 1; store.set("n", counter);
  pending[q] = {t: "answer", n: counter, q, round: now.r, choice, text};
  keep(); send(pending[q]); mark(q);
}

// --- what is drawn -------------------------------------------------------------------------------------

function make(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("on")) node[key] = value;
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return node;
}
// Text of the deck, escaped where it was made; the page's policy lets nothing in it run. Code runs from the left
// whatever stands around it, and says nothing of which way that goes.
function rich(html, tag) {
  const node = make(tag || "div", {dir: "auto"});
  node.innerHTML = html;
  for (const code of node.querySelectorAll("code, pre, math")) code.dir = "ltr";
  return node;
}

function draw() {
  const active = document.activeElement, focused = active && active.dataset ? active.dataset.at : "";
  document.documentElement.lang = page.lang || "en";
  document.title = page.title || "teachrun";
  const nodes = page.questions.map(shownAs);
  if (nodes.length !== $("questions").children.length || nodes.some((node, n) => node !== $("questions").children[n])) $("questions").replaceChildren(...nodes);
  const lines = (page.caption || []).map((line) => make("p", {dir: "auto"}, line));
  $("screen").replaceChildren(make("h2", {dir: "auto"}, page.heading || "On the screen"), ...lines);
  $("screen").hidden = page.questions.length > 0 && !lines.length;
  Object.keys(states).forEach(mark);
  if (focused && !active.isConnected) { const node = document.querySelector(`[data-at="${CSS.escape(focused)}"]`); if (node) node.focus(); }
}

// What is on the page stays there while nothing of it is another: somebody may be typing in it.
let drawn = {};
function shownAs(asked) {
  const now = states[asked.id] || {}, given = JSON.stringify(draft[asked.id] || {});
  const key = JSON.stringify([asked, now.p, now.r, now.key, now.votes, now.before, now.undecided, now.all]);
  const was = drawn[asked.id];
  if (!was || was.key !== key || (was.given !== given && !begun[asked.id])) drawn[asked.id] = {key, given, node: question(asked)};
  return drawn[asked.id].node;
}

// The first letter of a question is Hebrew, Arabic or another that goes to the left: so do its options.
const LEFTWARD = /^[^\p{L}]*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/u;
function question(asked) {
  const now = states[asked.id] || {p: "locked", r: 0};
  const given = draft[asked.id] || {};
  const open = now.p === "open", shown = now.p === "revealed";
  const body = (BODIES[asked.kind] || BODIES.text)(asked, given, now, open, shown);
  const told = asked.told || {};
  const stem = Object.assign(rich(asked.stem), {className: "stem", id: "stem-" + asked.id});
  // Who hears the page is told the question with the first thing that can be answered, and with the whole.
  const first = body.matches("fieldset, [role=group]") ? body : body.querySelector("[data-gap], select");
  if (first) first.setAttribute("aria-describedby", stem.id);
  return make("article", {"aria-labelledby": stem.id, dir: LEFTWARD.test(stem.textContent) ? "rtl" : "ltr", class: open ? "open" : "closed"},
    stem, body,
    make("p", {dir: "auto", class: "state", id: "state-" + asked.id}),
    make("p", {dir: "auto", class: "rest", id: "rest-" + asked.id}),
    ...(asked.hints || []).map((hint) => Object.assign(rich(hint), {className: "why"})),
    shown && told.answer ? make("p", {dir: "auto"}, make("b", null, "Right: "), told.answer) : null,
    shown && told.general ? rich(told.general) : null);
}

function mark(q) {
  const place = $("state-" + q), rest = $("rest-" + q), now = states[q];
  if (!place || !now) return;
  let kind = "", text = "";
  if (pending[q]) [kind, text] = ["wait", "On its way to the class …"];
  else if (begun[q] && now.p === "open") text = mine[q] ? "Changed and not sent: the answer before it counts." : "Not sent yet.";
  else if (late[q]) [kind, text] = ["not", mine[q] ? "That came too late: the answer before it counts." : "That came too late."];
  else if (mine[q]) [kind, text] = ["in", now.p === "open" ? "Your answer is in. You can change it until it is locked." : "Your answer is in."];
  else if (now.p === "open") text = "Not answered yet.";
  else if (now.p === "locked") text = "Answers are closed.";
  place.className = "state " + kind; place.textContent = text; place.hidden = !text;
  const left = deadlines[q] ? Math.max(0, Math.ceil((deadlines[q] - Date.now()) / 1000)) : null;
  const counted = now.of && now.p !== "revealed" ? `${now.n} of ${now.of} answered` : "";
  rest.textContent = [counted, left !== null && now.p === "open" ? `${left} s left` : ""].filter(Boolean).join(" · ");
}
setInterval(() => { for (const q of Object.keys(deadlines)) mark(q); }, 1000);

function bar(asked, now, n) {
  const votes = now.votes || [];
  if (!votes.length) return null;
  const all = now.all || votes.reduce((sum, one) => sum + one, 0), was = (now.before || [])[0] || [];
  const share = all ? Math.round(100 * votes[n] / all) : 0;
  const first = was.length ? `, first vote ${was[n]}` : "";
  const filled = make("i");
  filled.style.width = share + "%";
  return make("div", null, make("div", {class: "bar", "aria-hidden": "true"}, filled),
    make("bdi", {class: "votes", dir: "ltr"}, `${votes[n]} (${share} %)${first}`));
}

function choices(asked, given, now, open, shown, lines) {
  const many = asked.kind === "multi" || (lines && asked.many), chosen = new Set(given.choice || []);
  const right = new Set(now.key || []), told = (asked.told || {}).explain || [];
  const texts = lines ? asked.lines : asked.options, unsure = new Set(now.undecided || []);
  const graded = shown && right.size > 0;
  return make("fieldset", {class: "options" + (lines ? " lines" : "")},
    make("legend", {class: "unseen"}, many ? "Choose all that are right" : "Choose one"),
    ...texts.map((text, n) => {
      const look = graded && right.has(n) ? " right" : graded && chosen.has(n) ? " wrong" : "";
      const word = graded && right.has(n) ? "right" : graded && chosen.has(n) ? "not this one" : unsure.has(String(n + 1)) ? "undecided" : "";
      const input = make("input", {type: many ? "checkbox" : "radio", name: "q-" + asked.id, "data-at": asked.id + "/" + n, onchange() {
        if (many) { if (this.checked) chosen.add(n); else chosen.delete(n); answer(asked.id, [...chosen].sort((a, b) => a - b), []); }
        else answer(asked.id, [n], []);
      }});
      input.checked = chosen.has(n); input.disabled = !open;
      const content = lines ? make("div", null, make("code", null, text || " ")) : rich(text);
      if (word) content.append(make("span", {class: "mark"}, chosen.has(n) && !word.includes("not") ? word + ", as you said" : word));
      if (shown && (!lines || (now.votes || [])[n])) { const votes = bar(asked, now, n); if (votes) content.append(votes); }
      if (shown && told[n]) content.append(Object.assign(rich(told[n]), {className: "why"}));
      return make("label", {class: "option" + look}, input, make("b", null, lines ? String(n + 1) : asked.labels[n]), content);
    }));
}

function typed(asked, given, open, fields) {
  const form = make("form", {onsubmit(event) {
    event.preventDefault();
    answer(asked.id, [], [...form.elements].filter((one) => one.dataset.gap).map((one) => one.value));
  }}, ...fields, open ? make("button", {class: "go", type: "submit"}, "Send") : null);
  for (const field of form.elements) if (field.dataset.gap) {
    field.disabled = !open;
    field.addEventListener("input", () => {
      const text = [...form.elements].filter((one) => one.dataset.gap).map((one) => one.value);
      draft[asked.id] = {choice: [], text};
      begun[asked.id] = {r: (states[asked.id] || {}).r, text};
      keep(); mark(asked.id);
    });
  }
  return form;
}

function field(asked, n, given, label, more) {
  const at = asked.id + "/" + n, id = "field-" + at;
  const input = make("input", {id, "data-gap": "1", "data-at": at, maxlength: 400, autocomplete: "off", autocapitalize: "off", spellcheck: "false", dir: "auto", ...more});
  input.value = (given.text || [])[n] || "";
  return [make("label", {for: id}, label), input];
}

// The axis of a number: where its knob stands is what is sent, in three digits.
function slider(asked, input, open) {
  const {low, high, unit, log} = asked.axis, steps = 1000;
  const at = (n) => Number((log ? low * (high / low) ** (n / steps) : low + (high - low) * n / steps).toPrecision(3));
  const place = (value) => Math.round(steps * (log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low)));
  const words = (value) => `${value} ${unit}`.trim();
  const range = make("input", {type: "range", min: 0, max: steps, step: 1, "aria-label": "The same on its axis", disabled: !open, oninput() {
    input.value = words(at(Number(range.value)));
    range.setAttribute("aria-valuetext", input.value);
    input.dispatchEvent(new Event("input"));
  }});
  const typed = parseFloat(input.value.replace(",", "."));
  range.value = typed >= low && typed <= high ? place(typed) : steps / 2;
  input.addEventListener("change", () => { const n = parseFloat(input.value.replace(",", ".")); if (n >= low && n <= high) range.value = place(n); });
  return [range, make("p", {class: "rest ends"}, make("span", null, words(low)), make("span", null, words(high)))];
}

const BODIES = {
  single: (asked, given, now, open, shown) => choices(asked, given, now, open, shown),
  line: (asked, given, now, open, shown) => choices(asked, given, now, open, shown, true),
  text: (asked, given, now, open) => typed(asked, given, open, field(asked, 0, given, "Your answer")),
  essay(asked, given, now, open) {
    const id = "field-" + asked.id + "/0";
    const area = make("textarea", {id, "data-gap": "1", "data-at": asked.id + "/0", maxlength: 400, dir: "auto"});
    area.value = (given.text || [])[0] || "";
    return typed(asked, given, open, [make("label", {for: id}, "Your answer"), area]);
  },
  numeric(asked, given, now, open) {
    const fields = field(asked, 0, given, "A number, with its unit if it has one");
    return typed(asked, given, open, asked.axis ? [...fields, ...slider(asked, fields[1], open)] : fields);
  },
  cloze(asked, given, now, open) {
    const fields = asked.gaps.map((gap, n) => {
      if (!gap.offered.length || gap.many) return field(asked, n, given, gap.many ? `Gap ${n + 1}: ${gap.offered.join(", ")} (several, with | between)` : `Gap ${n + 1}`);
      const at = asked.id + "/" + n, id = "field-" + at;
      const select = make("select", {id, "data-gap": "1", "data-at": at}, make("option", {value: ""}, "choose"),
        ...gap.offered.map((one) => make("option", {value: one}, one)));
      select.value = (given.text || [])[n] || "";
      return [make("label", {for: id}, `Gap ${n + 1}`), select];
    });
    return typed(asked, given, open, fields.flat());
  },
  order(asked, given, now, open, shown) {
    let chosen = [...(given.choice || [])];
    const list = make("div", {class: "options", role: "group", "aria-label": "Tap in the right order"});
    const right = shown ? now.key || [] : [];
    asked.options.forEach((text, n) => {
      const place = chosen.indexOf(n);
      const word = right.length ? `belongs to place ${right.indexOf(n) + 1}` : "";
      const look = right.length && place >= 0 ? (right[place] === n ? " right" : " wrong") : place >= 0 ? " on" : "";
      const where = word || (place >= 0 ? `place ${place + 1}` : "no place yet");
      list.append(make("button", {type: "button", class: "option" + look, "aria-label": `${asked.plain?.[n] || rich(text).textContent}, ${where}`, disabled: !open, "aria-pressed": String(place >= 0), "data-at": asked.id + "/" + n, onclick() {
        chosen = place >= 0 ? chosen.filter((one) => one !== n) : [...chosen, n];
        answer(asked.id, chosen, []); draw();
      }}, make("b", null, place >= 0 ? String(place + 1) : "–"), make("div", null, rich(text), word ? make("span", {class: "mark"}, word) : null)));
    });
    return list;
  },
  match(asked, given, now, open, shown) {
    const right = shown ? now.key || [] : [];
    const parts = asked.prompts.map((prompt, n) => {
      const id = "field-" + asked.id + "/" + n, picked = (given.choice || [])[n];
      const select = make("select", {id, "data-at": asked.id + "/" + n, onchange() {
        const choice = [...parts.keys()].map((k) => Number($("field-" + asked.id + "/" + k).value));
        answer(asked.id, choice, []);
      }}, make("option", {value: -1}, "choose"), ...asked.plain.map((one, k) => make("option", {value: k}, `${asked.labels[k]} ${one}`)));
      select.value = picked === undefined ? -1 : picked; select.disabled = !open;
      const label = rich(prompt, "label"); label.htmlFor = id;
      const word = right.length ? (picked === right[n] ? "right" : `it is ${asked.plain[right[n]]}`) : "";
      return make("div", {class: word === "right" ? "right" : "wrong"}, label, select, word ? make("p", {class: "mark"}, word) : null);
    });
    return make("div", null, ...parts);
  },
};
BODIES.multi = BODIES.truefalse = BODIES.poll = BODIES.single;

if (code) $("code").value = code;
if (token || code) connect(); else { join(""); link("off", "not connected"); }
