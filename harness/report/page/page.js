"use strict";
// Shows the data of the page. Every text goes in as text, never as markup; nothing is loaded from anywhere.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);

  // ---- small helpers

  function el(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === undefined || value === null || value === false) continue;
      if (name === "class") node.className = value;
      else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else node.setAttribute(name, value === true ? "" : value);
    }
    for (const child of children.flat()) if (child !== null && child !== undefined) node.append(child);
    return node;
  }
  function svg(tag, attributes, ...children) {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, value);
    for (const child of children.flat()) if (child) node.append(child);
    return node;
  }
  const number = (value) => Number(value).toLocaleString("en-US");
  const plural = (count, one, many) => `${number(count)} ${count === 1 ? one : many || one + "s"}`;
  function seconds(value) {
    if (value >= 100) return `${value.toFixed(0)} s`;
    if (value >= 1) return `${value.toFixed(1)} s`;
    return value >= 0.001 ? `${(value * 1000).toFixed(0)} ms` : "< 1 ms";
  }
  const isWeb = (url) => /^https?:\/\//i.test(url);
  function link(url, text) {
    return isWeb(url) ? el("a", { href: url, rel: "noopener noreferrer" }, text || url) : document.createTextNode(text ? `${text}: ${url}` : url);
  }
  function pairs(entries) {
    const list = el("dl", { class: "pairs" });
    for (const [name, value] of entries) if (value) list.append(el("dt", {}, name), el("dd", {}, value));
    return list;
  }
  function table(caption, heads, rows) {
    return el("div", { class: "inner" }, el("table", {},
      el("caption", { class: "visually-hidden" }, caption),
      el("thead", {}, el("tr", {}, heads.map((head) => el("th", { scope: "col", class: head === "Line" || head === "Time" ? "num" : null }, head)))),
      el("tbody", {}, rows)));
  }

  // ---- verdicts

  const TONES = {
    relapsed: "red", faulted: "red", timed_out: "orange", broken: "red", unstable: "violet", no_verdict: "orange", case_error: "orange",
    infrastructure: "orange", held: "green", skipped: "yellow", not_run: "yellow", quarantined: "violet", left_out: "grey", partly: "yellow", red: "red",
  };
  const RED = new Set(["relapsed", "faulted", "timed_out", "broken", "unstable", "no_verdict", "case_error", "infrastructure"]);
  const WORDS = { timed_out: "timed out", no_verdict: "no verdict", case_error: "case error", not_run: "not run", left_out: "left out",
    partly: "held in part", quarantined: "in quarantine", order_dependent: "order dependent" };
  const word = (verdict) => WORDS[verdict] || verdict;
  const badge = (verdict, text) => el("span", { class: `badge is-${TONES[verdict] || "grey"}` }, text || word(verdict));
  const where = (kase) => (kase.mode && kase.mode !== "blocking" ? `${kase.device} ${kase.mode}` : kase.device);
  const ofCase = (kase) => `${kase.file}`;

  const outputs = new Map(data.attempts.map((attempt) => [attempt.id, attempt]));
  const kindsOf = (kase) => {
    const counts = new Map();
    for (const check of kase.checks) counts.set(check.verdict, (counts.get(check.verdict) || 0) + 1);
    return counts;
  };
  for (const kase of data.cases) {
    kase.red = kase.checks.filter((check) => RED.has(check.verdict));
    // What the search looks at; made once.
    kase.hay = [kase.id, kase.title, kase.file, kase.source, kase.labels.join(" ")].join("\n").toLowerCase();
    for (const check of kase.checks)
      check.hay = [check.name, word(check.verdict), check.clause || "", check.fault || "", check.error || "", check.reason || "",
        (check.seen || []).join("\n")].join("\n").toLowerCase();
  }

  // ---- head and totals

  const all = Object.values(data.totals).reduce((sum, count) => sum + count, 0);
  const asked = all - data.totals.left_out;
  const red = [...RED].reduce((sum, kind) => sum + data.totals[kind], 0);
  function headline() {
    const parts = [];
    if (red) parts.push(`${number(red)} of ${plural(asked, "check")} ${red === 1 ? "is" : "are"} red`);
    if (data.broken.length) parts.push(plural(data.broken.length, "broken file"));
    if (data.devices.some((device) => device.required && !device.present)) parts.push("a required device is missing");
    if (!data.finished) parts.push("the run did not end");
    else if (data.interrupted) parts.push("interrupted");
    if (parts.length) return ["red", parts.join(" · ")];
    if (data.exit === 0) return ["green", `every check held (${number(data.totals.held)})`];
    if (data.exit === 77) return ["yellow", "everything was skipped"];
    return ["yellow", asked ? `${plural(data.totals.not_run, "check")} of ${number(asked)} not run` : "nothing was selected"];
  }
  const [tone, text] = headline();
  $("headline").textContent = text;
  document.querySelector(".mark").classList.add(tone);
  document.title = `relapse: ${text}`;
  {
    const facts = [data.started && data.started.replace("T", " ").replace("Z", " UTC"), seconds(data.seconds), plural(data.clauses, "clause"),
      data.torch && `LibTorch ${data.torch}`, data.unfixed && "the code before the fix", `exit ${data.exit}`].filter(Boolean);
    $("runfacts").textContent = facts.join(" · ");
    $("version").textContent = `relapse ${data.relapse}${data.journal ? ` · journal ${data.journal}` : ""}`;
  }
  const tileOrder = ["relapsed", "faulted", "broken", "timed_out", "unstable", "no_verdict", "case_error", "infrastructure", "quarantined", "held",
    "skipped", "not_run", "left_out"];
  for (const kind of tileOrder) {
    if (!data.totals[kind]) continue;
    $("tiles").append(el("button", { type: "button", class: `tile tone-${TONES[kind]}`, "data-verdict": kind, "aria-pressed": "false",
      onclick: () => { filter.verdict.value = filter.verdict.value === kind ? "" : kind; apply(); } },
    el("b", {}, number(data.totals[kind])), word(kind)));
  }
  function notice(bad, content) { $("notices").append(el("div", { class: `notice${bad ? " bad" : ""}` }, content)); }
  for (const device of data.devices) {
    if (!device.present) notice(device.required, `${device.device}: ${device.reason}; ${device.required ? "it is required" : "its checks are skipped"}`);
  }
  for (const device of data.devices) if (device.sick) notice(true, `${device.device} is sick: ${device.sick}`);
  for (const finding of data.findings) notice(false, `${word(finding.kind)}: ${finding.check}: ${finding.text}`);
  if (!data.finished) notice(true, "The run did not end: its runner was stopped. What had not been judged is not run.");
  for (const file of data.broken) {
    notice(true, [el("strong", {}, `Broken file ${file.file}`), el("pre", { tabindex: "0" }, file.messages.join("\n"))]);
  }
  for (const note of data.notes) notice(false, note);

  // ---- grid

  const columns = [...new Set(data.cases.map(where))].sort();
  const rows = new Map();
  data.cases.forEach((kase, index) => {
    kase.index = index;
    if (!rows.has(kase.id)) rows.set(kase.id, new Map());
    rows.get(kase.id).set(where(kase), kase);
  });
  function cell(kase) {
    if (!kase) return el("td", {}, el("span", { class: "visually-hidden" }, "not selected"));
    const state = kase.state;
    const redWord = kase.red.length ? word(kase.red[0].verdict) : word(state);
    const count = kase.red.length ? `${kase.red.length}/${kase.checks.length}` : `${kase.checks.length}`;
    return el("td", {}, el("button", { type: "button", class: `cell is-${kase.red.length ? TONES[kase.red[0].verdict] : TONES[state]}`,
      "aria-label": `${kase.id} on ${where(kase)}: ${kase.red.length ? `${kase.red.length} of ${plural(kase.checks.length, "check")} red, ${redWord}` : `${redWord}, ${plural(kase.checks.length, "check")}`}`,
      onclick: () => reveal(kase) }, redWord, el("span", {}, count)));
  }
  const GRID_ROWS = 150;
  let gridShown = 0;
  const gridBody = el("tbody");
  function growGrid(upTo) {
    const part = document.createDocumentFragment();
    for (const [id, byColumn] of [...rows].slice(gridShown, upTo))
      part.append(el("tr", {}, el("th", { scope: "row" }, id), columns.map((column) => cell(byColumn.get(column)))));
    gridBody.append(part);
    gridShown = Math.min(upTo, rows.size);
    const left = rows.size - gridShown;
    $("grid-more").hidden = left === 0;
    $("grid-more").textContent = `Show ${number(left)} more`;
  }
  $("grid").append(el("caption", { class: "visually-hidden" }, "A row for each case, a column for each device and mode; red cases first"),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Case"), columns.map((column) => el("th", { scope: "col" }, column)))), gridBody);
  $("grid-more").addEventListener("click", () => growGrid(rows.size));
  growGrid(GRID_ROWS);
  $("grid-section").hidden = rows.size === 0;

  // ---- time-line

  (() => {
    const timed = data.attempts.filter((attempt) => attempt.at !== undefined);
    $("time-section").hidden = timed.length === 0;
    if (!timed.length) return;
    const end = Math.max(...timed.map((attempt) => attempt.at + attempt.seconds), 0.001);
    const devices = [...new Set(timed.map((attempt) => attempt.device))].sort();
    const lanes = devices.map((device) => 1 + Math.max(...timed.filter((a) => a.device === device).map((a) => a.lane)));
    const reds = timed.filter((attempt) => attempt.red).length;
    const longest = timed.reduce((a, b) => (b.seconds > a.seconds ? b : a));
    const summary = `${plural(timed.length, "process", "processes")} on ${devices.join(", ")} in ${seconds(end)}, ${number(reds)} of them with a red check (tall and red); the longest was ${longest.case} on ${longest.device} with ${seconds(longest.seconds)}.`;
    const figure = $("timeline");
    const caption = el("figcaption", {}, summary);

    function draw(width) {
      const left = 60, right = 12, height = 14, gap = 4;
      let y = 8;
      const offsets = lanes.map((count) => { const top = y; y += count * (height + gap) + 8; return top; });
      const drawing = svg("svg", { viewBox: `0 0 ${width} ${y + 22}`, width, height: y + 22, role: "img", "aria-labelledby": "time-title" });
      drawing.append(svg("title", { id: "time-title" }, document.createTextNode(summary)));
      const x = (at) => left + (at / end) * (width - left - right);
      const ticks = width < 500 ? 2 : 4;
      for (let tick = 0; tick <= ticks; ++tick) {
        const at = (end * tick) / ticks;
        drawing.append(svg("line", { x1: x(at), x2: x(at), y1: 4, y2: y, class: "axis" }));
        drawing.append(svg("text", { x: x(at), y: y + 15, "text-anchor": tick === 0 ? "start" : tick === ticks ? "end" : "middle" },
          document.createTextNode(tick === 0 ? "0" : seconds(at))));
      }
      // What is thinner than a pixel is joined with its neighbours of the same lane, so that thousands of processes stay quick.
      const step = end / (width - left - right);
      devices.forEach((device, row) => {
        for (let lane = 0; lane < lanes[row]; ++lane) {
          const top = offsets[row] + lane * (height + gap);
          drawing.append(svg("text", { x: 8, y: top + 11 }, document.createTextNode(lanes[row] > 1 ? `${device} ${lane + 1}` : device)));
          let bar = null;
          const flush = () => {
            if (!bar) return;
            const inset = bar.red ? 0 : 3;
            const rect = svg("rect", { x: x(bar.from).toFixed(1), y: top + inset, width: Math.max(1, x(bar.to) - x(bar.from) - 0.4).toFixed(1),
              height: height - 2 * inset, rx: 1.5, class: bar.red ? "bar-red" : "bar-green" });
            rect.append(svg("title", {}, document.createTextNode(bar.count === 1 ? `${bar.name}: ${seconds(bar.to - bar.from)}` : plural(bar.count, "process", "processes"))));
            drawing.append(rect);
            bar = null;
          };
          for (const attempt of timed) {
            if (attempt.device !== device || attempt.lane !== lane) continue;
            const to = attempt.at + attempt.seconds;
            if (bar && attempt.red === bar.red && attempt.at - bar.to < step && (to - attempt.at < 2 * step || bar.to - bar.from < 2 * step)) {
              bar.to = Math.max(bar.to, to);
              bar.count += 1;
            } else {
              flush();
              bar = { from: attempt.at, to, red: attempt.red, count: 1, name: attempt.case };
            }
          }
          flush();
        }
      });
      figure.replaceChildren(drawing, caption);
    }
    let drawn = 0;
    const redraw = () => {
      const width = Math.max(280, Math.floor(figure.clientWidth));
      if (width !== drawn) draw(drawn = width);
    };
    redraw();
    addEventListener("resize", redraw);
  })();

  // ---- pictures of one comparison

  /// First and last index that fall into a cell when `extent` is laid onto `cells`.
  function span(cell, extent, cells) {
    const from = Math.ceil((cell * extent) / cells), to = Math.ceil(((cell + 1) * extent) / cells) - 1;
    return [from, Math.max(from, to)];
  }
  function mismatchMap(name, picture) {
    const [rowCells, columnCells] = picture.grid;
    const shape = picture.shape;
    const width = shape.length ? shape[shape.length - 1] : 1;
    const height = shape.slice(0, -1).reduce((product, extent) => product * extent, 1);
    const most = Math.max(...picture.counts, 1);
    const total = picture.counts.reduce((sum, count) => sum + count, 0);
    // As wide as its place; a tall narrow tensor is squeezed rather than given a page of its own.
    const w = 320, h = Math.min(240, Math.max(20, (w * rowCells) / columnCells));
    const unit = w / columnCells, rowHeight = h / rowCells;
    const touched = picture.counts.filter((count) => count > 0).length;
    let peak = picture.counts.indexOf(Math.max(...picture.counts));
    const [r0, r1] = span(Math.floor(peak / columnCells), height, rowCells), [c0, c1] = span(peak % columnCells, width, columnCells);
    const at = (from, to) => (from === to ? number(from) : `${number(from)} to ${number(to)}`);
    const named = (what, from, to) => `${what}${from === to ? "" : "s"} ${at(from, to)}`;
    const shapeText = `[${shape.join(", ")}]`;
    const summary = `${plural(total, "element")} of ${shapeText} ${total === 1 ? "differs" : "differ"}, in ${number(touched)} of ${plural(picture.counts.length, "cell")} of the map` +
      `; ${most > 1 ? `most (${number(most)})` : "the first"} in ${named("row", r0, r1)}, ${named("column", c0, c1)}.`;
    const drawing = svg("svg", { viewBox: `-1 -1 ${w + 2} ${h + 2}`, role: "img", "aria-label": `Where ${name} differs. ${summary}` });
    drawing.append(svg("rect", { x: 0, y: 0, width: w, height: h, class: "blank" }));
    picture.counts.forEach((count, index) => {
      if (!count) return;
      const row = Math.floor(index / columnCells), column = index % columnCells;
      const [rf, rt] = span(row, height, rowCells), [cf, ct] = span(column, width, columnCells);
      const cellRect = svg("rect", { x: (column * unit).toFixed(2), y: (row * rowHeight).toFixed(2), width: unit.toFixed(2), height: rowHeight.toFixed(2), class: "heat",
        "fill-opacity": (0.25 + 0.75 * (Math.log1p(count) / Math.log1p(most))).toFixed(2) });
      cellRect.append(svg("title", {}, document.createTextNode(`rows ${at(rf, rt)}, columns ${at(cf, ct)}: ${number(count)} of ${number((rt - rf + 1) * (ct - cf + 1))}`)));
      drawing.append(cellRect);
    });
    drawing.append(svg("rect", { x: 0, y: 0, width: w, height: h, class: "frame" }));
    const scale = `${plural(height, "row")} down${shape.length > 2 ? " (all dimensions but the last)" : ""}, ${plural(width, "column")} across. `;
    return el("figure", { class: "picture map" }, drawing, el("figcaption", {}, scale + summary));
  }
  const SUPER = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
  const power = (exponent) => `10${String(exponent).split("").map((c) => SUPER[c]).join("")}`;
  function histogram(name, picture) {
    const bins = picture.errors.map((count, index) => ({ label: power(picture.decade + index), count }));
    if (picture.unmeasured) bins.push({ label: "none", count: picture.unmeasured });
    if (!bins.length) return null;
    const most = Math.max(...bins.map((bin) => bin.count), 1);
    const width = 320, height = 130, each = Math.min(56, width / bins.length);
    const top = picture.errors.length ? `from ${power(picture.decade)} to ${power(picture.decade + picture.errors.length)}` : "";
    const summary = [top && `Distances ${top}, a decade a bar; the tallest bar is ${plural(most, "element")}.`,
      picture.unmeasured && `${plural(picture.unmeasured, "element")} without a finite distance (NaN, infinities).`].filter(Boolean).join(" ");
    const drawing = svg("svg", { viewBox: `0 0 ${width} ${height + 34}`, role: "img", "aria-label": `How far ${name} is off. ${summary}` });
    const every = Math.ceil(bins.length / 8);
    bins.forEach((bin, index) => {
      const tall = bin.count ? Math.max(2, height * (bin.count / most)) : 0;
      const bar = svg("rect", { x: (index * each + 1).toFixed(1), y: (16 + height - tall).toFixed(1), width: Math.max(1, each - 2).toFixed(1), height: tall.toFixed(1), class: "heat" });
      bar.append(svg("title", {}, document.createTextNode(bin.label === "none" ? `no finite distance: ${number(bin.count)}` : `${bin.label} up to ten times that: ${number(bin.count)}`)));
      drawing.append(bar);
      const middle = (index * each + each / 2).toFixed(1);
      if (bin.count && each >= 22) drawing.append(svg("text", { x: middle, y: (11 + height - tall).toFixed(1), "text-anchor": "middle" }, document.createTextNode(number(bin.count))));
      if (index % every === 0 || bin.label === "none") drawing.append(bin.label === "none"
        ? svg("text", { x: Math.min(width, bins.length * each + 8), y: height + 30, "text-anchor": "end" }, document.createTextNode("NaN, ∞"))
        : svg("text", { x: middle, y: height + 30, "text-anchor": "middle" }, document.createTextNode(bin.label)));
    });
    drawing.append(svg("line", { x1: 0, x2: width, y1: height + 16, y2: height + 16, class: "axis" }));
    return el("figure", { class: "picture histogram" }, drawing, el("figcaption", {}, summary));
  }

  // ---- one case

  function factsTable(caption, facts) {
    const list = (values) => `[${values.join(", ")}]`;
    return table(caption, ["Name", "Type", "Shape", "Strides", "Min", "Max", "Values"], facts.map((fact) => el("tr", {},
      el("th", { scope: "row", class: "mono" }, fact.name || ""),
      fact.dtype
        ? [el("td", { class: "mono tight" }, fact.dtype), el("td", { class: "mono tight" }, list(fact.shape)), el("td", { class: "mono tight" }, list(fact.strides)),
          el("td", { class: "mono tight" }, fact.min || ""), el("td", { class: "mono tight" }, fact.max || ""),
          el("td", {}, [fact.nans && `${number(fact.nans)} NaN`, fact.finite === true ? "finite" : fact.finite === false ? "not finite" : null,
            fact.requires_grad && "requires grad", fact.offset && `offset ${fact.offset}`, fact.device && fact.device !== "cpu" && fact.device].filter(Boolean).join(", "))]
        : el("td", { class: "mono", colspan: "6" }, fact.text || ""))));
  }
  function output(attempt) {
    return ["out", "err"].map((name) => {
      const captured = attempt && attempt[name];
      if (!captured) return null;
      return el("details", { class: "more" }, el("summary", {}, `${name === "out" ? "Standard output" : "Standard error"} of its process (${plural(captured.bytes, "byte")}${captured.cut ? ", the last part" : ""})`),
        el("pre", { tabindex: "0" }, captured.text));
    });
  }
  function rerun(command) {
    if (!command) return null;
    const shown = el("pre", { tabindex: "0" }, command);
    const button = el("button", { type: "button", class: "plain", onclick: async () => {
      try {
        await navigator.clipboard.writeText(command);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(shown);
        button.textContent = "Selected";
      }
    } }, "Copy");
    return [el("h4", {}, "Run it again"), el("div", { class: "rerun" }, shown, button)];
  }
  function failure(kase, check) {
    const inputs = check.step && check.step.failing && check.step.inputs && check.step.inputs.length ? check.step.inputs : check.inputs;
    const block = el("article", { class: "failure", "aria-label": `${check.name}, ${word(check.verdict)}` },
      el("header", {}, badge(check.verdict), el("h5", {}, check.name), el("span", { class: "mono" }, check.where || "")),
      pairs([["promised", check.promised], ["seen", (check.seen || []).join("\n")], ["reason", check.reason], ["fault", check.fault],
        ["step", check.step && check.step.failing ? `${check.step.index + 1}${check.step.batch ? ` of ${check.step.batch}` : ""}: ${check.step.text}` : ""], ["after", (check.after || []).join("\n")], ["left", (check.left || []).join("\n")]]));
    if (check.quarantine) {
      const held = check.quarantine;
      block.append(pairs([["quarantine", `${held.owner}, until ${held.until}${held.expired ? " (past)" : ""}${held.why ? `: ${held.why}` : ""}`], ["link", held.link && link(held.link)]]));
    }
    const pictured = (check.broken || []).filter((breach) => breach.picture && breach.picture.counts.length);
    for (const breach of pictured) {
      block.append(el("h4", {}, `Where and how far ${breach.clause} is off`),
        el("div", { class: "pictures" }, mismatchMap(breach.clause, breach.picture), histogram(breach.clause, breach.picture)));
    }
    const others = (check.broken || []).filter((breach) => breach.clause !== check.clause);
    if (others.length) {
      block.append(el("h4", {}, "Also broken"), table("Further clauses that did not hold", ["Clause", "Line", "Seen"], others.map((breach) => el("tr", {},
        el("th", { scope: "row", class: "mono" }, breach.clause), el("td", { class: "num" }, breach.line || ""), el("td", {}, breach.seen)))));
    }
    if (inputs && inputs.length) block.append(el("h4", {}, check.step && check.step.failing ? "What the failing step read" : "Inputs"), factsTable(`Inputs of ${check.name}`, inputs));
    if (check.rounds) {
      block.append(el("h4", {}, "Rounds"), table("Each fresh process", ["Round", "Verdict", "Seen"], check.rounds.map((round, index) => el("tr", {},
        el("th", { scope: "row" }, String(index + 1)), el("td", {}, badge(round.verdict)), el("td", {}, round.seen.join("\n"))))));
    }
    for (const part of [...output(outputs.get(check.attempt)), ...(rerun(check.rerun) || [])]) if (part) block.append(part);
    return block;
  }
  function body(kase) {
    const parts = [];
    parts.push(el("h4", {}, "Incident"), pairs([["when", kase.date], ["source", kase.source && link(kase.source)], ["cause", kase.cause], ["fix", kase.fix],
      ["labels", kase.labels.join(", ")], ["file", ofCase(kase)]]));
    const shown = kase.checks.filter((check) => RED.has(check.verdict) || check.verdict === "quarantined");
    if (shown.length) parts.push(el("h4", {}, shown.length === 1 ? "The red check" : `The ${number(shown.length)} red checks`), shown.slice(0, 20).map((check) => failure(kase, check)));
    if (shown.length > 20) {
      const more = el("button", { type: "button", class: "plain", onclick: () => more.replaceWith(...shown.slice(20).map((check) => failure(kase, check))) }, `Show ${number(shown.length - 20)} more`);
      parts.push(more);
    }
    const broken = new Set(shown.flatMap((check) => [check.clause, ...(check.broken || []).map((breach) => breach.clause)]));
    if (kase.contract.length) {
      parts.push(el("h4", {}, "Contract"), table(`Contract of ${kase.id}`, ["Side", "Clause", "Says", "Line"], kase.contract.map((line) => el("tr", { class: broken.has(line.name) ? "bad" : null },
        el("td", {}, line.side), el("th", { scope: "row", class: "mono" }, line.name, broken.has(line.name) ? el("span", { class: "visually-hidden" }, " (broken)") : null),
        el("td", { class: "mono" }, line.text), el("td", { class: "num" }, line.line || "")))));
    }
    if (kase.subject.length) {
      const failing = new Set(shown.filter((check) => check.step && check.step.failing).map((check) => check.step.index));
      parts.push(el("h4", {}, "Subject"), el("ol", { class: "steps" }, kase.subject.map((line, index) => el("li", { class: failing.has(index) ? "bad" : null }, el("code", {}, line.text),
        failing.has(index) ? el("span", { class: "badge is-red" }, "failing step") : null))));
    }
    parts.push(el("h4", {}, "Checks"), table(`Checks of ${kase.id}`, ["Check", "Kind", "Verdict", "Time", "Why"], kase.checks.map((check) => el("tr", {},
      el("th", { scope: "row", class: "mono" }, check.name), el("td", {}, check.kind), el("td", {}, badge(check.verdict)), el("td", { class: "num" }, seconds(check.seconds)),
      el("td", {}, check.reason || (check.seen || [])[0] || "")))));
    return el("div", { class: "body" }, parts.flat());
  }
  function card(kase) {
    const counts = kindsOf(kase);
    const states = kase.red.length ? [...counts].filter(([verdict]) => RED.has(verdict)).map(([verdict, count]) => badge(verdict, count > 1 ? `${count} ${word(verdict)}` : null)) : [badge(kase.state)];
    const node = el("details", { class: "case", id: `case-${kase.index}` },
      el("summary", {}, el("span", { class: "badges" }, states.slice(0, 3)), el("h3", { class: "id" }, kase.id), el("span", { class: "where" }, `${where(kase)} · ${plural(kase.checks.length, "check")}`),
        el("span", { class: "title" }, kase.title)));
    // The inside is made when it is first looked at.
    node.addEventListener("toggle", () => { if (node.open && !kase.made) { kase.made = true; node.append(body(kase)); } });
    kase.node = node;
    return node;
  }
  function open(kase) {
    if (!kase.made) { kase.made = true; kase.node.append(body(kase)); }
    kase.node.open = true;
  }
  function reveal(kase) {
    if (kase.node.hidden) { $("filters").reset(); apply(); }
    open(kase);
    kase.node.querySelector("summary").focus({ preventScroll: true });
    kase.node.scrollIntoView({ block: "start" });
    history.replaceState(null, "", `#case-${kase.index}`);
  }
  $("list").append(...data.cases.map(card));
  const first = data.cases.find((kase) => kase.red.length);
  if (first) open(first);

  // ---- filters

  const filter = { text: $("f-text"), verdict: $("f-verdict"), device: $("f-device"), mode: $("f-mode"), kind: $("f-kind"), label: $("f-label") };
  function choices(select, values, all) {
    select.append(el("option", { value: "" }, all), ...values.map(([value, name]) => el("option", { value }, name)));
    select.closest("label").hidden = values.length < 2 && select !== filter.verdict;
  }
  const distinct = (values) => [...new Set(values)].filter(Boolean).sort().map((value) => [value, value]);
  choices(filter.verdict, [...(red ? [["red", `red (${number(red)})`]] : []), ...tileOrder.filter((kind) => data.totals[kind]).map((kind) => [kind, `${word(kind)} (${number(data.totals[kind])})`])], "all");
  choices(filter.device, distinct(data.cases.map((kase) => kase.device)), "all");
  choices(filter.mode, distinct(data.cases.map((kase) => kase.mode)), "all");
  choices(filter.kind, distinct(data.cases.flatMap((kase) => kase.checks.map((check) => check.kind))), "all");
  choices(filter.label, distinct(data.cases.flatMap((kase) => kase.labels)), "all");

  function apply() {
    const words = filter.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const verdict = filter.verdict.value, device = filter.device.value, mode = filter.mode.value, kind = filter.kind.value, label = filter.label.value;
    let cases = 0, checks = 0;
    for (const kase of data.cases) {
      let found = 0;
      if ((!device || kase.device === device) && (!mode || kase.mode === mode) && (!label || kase.labels.includes(label))) {
        const left = words.filter((one) => !kase.hay.includes(one));
        for (const check of kase.checks) {
          if (verdict && (verdict === "red" ? !RED.has(check.verdict) : check.verdict !== verdict)) continue;
          if (kind && check.kind !== kind) continue;
          if (left.every((one) => check.hay.includes(one))) ++found;
        }
      }
      const hidden = found === 0;
      if (kase.node.hidden !== hidden) kase.node.hidden = hidden;
      cases += hidden ? 0 : 1;
      checks += found;
    }
    $("count").textContent = `${plural(checks, "check")} in ${plural(cases, "case")}${checks === all ? "" : ` of ${number(data.cases.length)}`}`;
    $("none").hidden = cases > 0;
    for (const tile of $("tiles").children) tile.setAttribute("aria-pressed", String(tile.dataset.verdict === verdict));
  }
  $("filters").addEventListener("input", apply);
  $("filters").addEventListener("submit", (event) => event.preventDefault());
  $("filters").addEventListener("reset", () => setTimeout(apply));
  apply();

  // ---- colours and keys

  const themes = [...document.querySelectorAll("[data-theme-choice]")];
  function theme(choice) {
    document.documentElement.dataset.theme = choice;
    for (const button of themes) button.setAttribute("aria-pressed", String(button.dataset.themeChoice === choice));
  }
  for (const button of themes) button.addEventListener("click", () => theme(button.dataset.themeChoice));

  function step(direction) {
    const shown = data.cases.filter((kase) => !kase.node.hidden);
    if (!shown.length) return;
    const current = document.activeElement.closest(".case");
    const index = shown.findIndex((kase) => kase.node === current);
    const next = shown[index < 0 ? (direction > 0 ? 0 : shown.length - 1) : Math.min(shown.length - 1, Math.max(0, index + direction))];
    next.node.querySelector("summary").focus();
    next.node.scrollIntoView({ block: "nearest" });
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      $("filters").reset();
      apply();
      return;
    }
    if (event.target.closest("input, select, textarea")) return;
    const act = {
      "/": () => filter.text.focus(),
      r: () => { filter.verdict.value = filter.verdict.value === "red" || !red ? "" : "red"; apply(); },
      j: () => step(1),
      k: () => step(-1),
      t: () => theme(themes[(themes.findIndex((button) => button.getAttribute("aria-pressed") === "true") + 1) % themes.length].dataset.themeChoice),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  // ---- environment

  {
    const values = (map) => Object.entries(map).map(([name, seen]) => [name, seen.map((value) => (value === "" ? "(empty)" : value)).join(" | ")]);
    const parts = [pairs([["command", `relapse run ${data.command.join(" ")}`.trim()], ["cases from", data.root], ["relapse", data.relapse], ["LibTorch", data.torch],
      ["cores", data.cores ? String(data.cores) : ""], ["at a time", data.jobs ? String(data.jobs) : ""], ["journal", data.journal]])];
    const section = (title, entries) => { if (entries.length) parts.push(el("h3", {}, title), pairs(entries)); };
    section("Devices", data.devices.map((device) => [device.device, device.present ? device.names.join(", ") || "present" : device.reason]));
    section("Settings, as the children saw them", values(data.settings));
    section("Environment, as the children saw it", values(data.environment));
    $("environment").append(...parts);
  }

  const target = /^#case-(\d+)$/.exec(location.hash);
  if (target && data.cases[Number(target[1])]) reveal(data.cases[Number(target[1])]);
  document.documentElement.dataset.ready = "true";
})();
