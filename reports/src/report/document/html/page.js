"use strict";
// Sorting, filtering, the details of cells, the steps of a trial, and the choice of colours. All text is put in as
// text, never as markup.
(() => {
  const find = (what, where = document) => where.querySelector(what);
  const all = (what, where = document) => [...where.querySelectorAll(what)];
  const make = (tag, text = "") => Object.assign(document.createElement(tag), { textContent: text });

  const colours = () => {
    const button = find("#theme"), root = document.documentElement;
    const isDark = () => root.dataset.theme ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    const name = () => { button.textContent = isDark() ? "Light" : "Dark"; };
    button.hidden = false;
    button.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; name(); });
    name();
  };

  const sorted = (table) => {
    const head = find("thead tr", table).cells, rows = all("tbody tr:not(.group)", table);
    const first = new Map(rows.map((row, at) => [row, at]));
    const value = (row, column) => {
      const order = row.cells[column].dataset.order;
      return order === undefined ? -1 : Number(order);
    };
    [...head].forEach((cell, column) => {
      const button = make("button", cell.textContent);
      button.type = "button";
      cell.replaceChildren(button);
      button.addEventListener("click", () => {
        const next = cell.ariaSort === "descending" ? "ascending" : "descending";
        [...head].forEach((other) => other.removeAttribute("aria-sort"));
        if (column > 0) cell.setAttribute("aria-sort", next);
        const sign = next === "ascending" ? 1 : -1;
        const order = (a, b) => column === 0 ? 0 : sign * (value(a, column) - value(b, column));
        for (const body of table.tBodies) {
          const own = all("tr:not(.group)", body).sort((a, b) => order(a, b) || first.get(a) - first.get(b));
          body.append(...own);
        }
      });
    });
  };

  const filtered = (figure, table) => {
    const tools = find(".filters", figure), said = find("output", tools);
    const rows = all("tbody tr:not(.group)", table), head = [...find("thead tr", table).cells];
    const words = (name) => find(`[data-filter=${name}]`, tools).value.trim().toLowerCase();
    const apply = () => {
      const wanted = words("rows"), stacks = words("columns");
      rows.forEach((row) => {
        const text = `${row.cells[0].textContent} ${row.cells[0].title}`.toLowerCase();
        row.hidden = !text.includes(wanted);
      });
      head.forEach((cell, column) => {
        if (column === 0) return;
        const hidden = !`${cell.textContent} ${cell.className}`.toLowerCase().includes(stacks);
        cell.hidden = hidden;
        rows.forEach((row) => { row.cells[column].hidden = hidden; });
      });
      for (const body of table.tBodies) {
        find(".group", body).hidden = all("tr:not(.group)", body).every((row) => row.hidden);
      }
      said.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} scenarios`;
    };
    tools.hidden = false;
    tools.addEventListener("input", apply);
  };

  // One cell is in the order of the tab key; arrows go to its neighbours.
  const walked = (table) => {
    const links = all("td a", table);
    links.forEach((link) => { link.tabIndex = -1; });
    if (links.length) links[0].tabIndex = 0;
    const take = (link) => {
      links.forEach((other) => { other.tabIndex = -1; });
      link.tabIndex = 0;
      link.focus();
    };
    const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    table.addEventListener("keydown", (event) => {
      const step = steps[event.key], from = event.target.closest("td");
      if (!step || !from) return;
      event.preventDefault();
      const rows = all("tbody tr:not(.group)", table).filter((row) => !row.hidden);
      const shown = (row) => [...row.cells].filter((cell) => !cell.hidden);
      const at = rows.indexOf(from.parentElement), column = shown(from.parentElement).indexOf(from);
      const row = rows[at + step[0]], cell = row && shown(row)[column + step[1]];
      const link = cell && find("a", cell);
      if (link) take(link);
    });
  };

  const cells = () => {
    const dialog = find("#cell");
    if (!dialog) return;
    let data;
    const texts = (at) => data.texts[at];
    const list = (pairs) => {
      const shown = make("dl");
      for (let at = 0; at < pairs.length; at += 2) {
        shown.append(make("dt", texts(pairs[at])), make("dd", texts(pairs[at + 1])));
      }
      return shown;
    };
    const command = (words) => {
      const pre = make("pre");
      pre.tabIndex = 0;
      pre.append(make("code", words.map(texts).join(" ")));
      return pre;
    };
    const trial = ([words, page]) => {
      if (page === null) return [command(words)];
      const link = make("a", "See it turn by turn"), paragraph = make("p");
      link.href = texts(page);
      paragraph.append(link);
      return [paragraph, command(words)];
    };
    // The same axes as in the empty frame, which the page has.
    const path = ([, of, steps], turns) => {
      let line = "M34 164", sum = 0;
      for (let at = 0; at < steps.length; at += 2) {
        sum += steps[at + 1];
        line += `H${34 + 298 * Math.min(steps[at] / turns, 1)}V${164 - 140 * sum / Math.max(of, 1)}`;
      }
      return `${line}H332`;
    };
    const curves = (number, map, row, cell) => {
      const of = (it) => it[1];
      const frames = find(`#frames-${number}`).content.cloneNode(true), box = make("div");
      box.className = "curves";
      for (const curve of of(cell)) {
        const frame = all("div", frames).find((it) => it.dataset.curve === texts(curve[0]));
        const paths = all(".line", frame);
        const others = row.cells.filter((other) => other && other !== cell)
          .flatMap((other) => of(other).filter((it) => it[0] === curve[0]));
        paths[0].setAttribute("d", others.map((it) => path(it, map.turns)).join(""));
        paths[1].setAttribute("d", path(curve, map.turns));
        box.append(frame);
      }
      return [make("h3", "Turn by turn"), box,
        make("p", "Thin lines are the other stacks. Turns count from the first stuck one; a line ends at "
          + `${map.turns} turns.`)];
    };
    const content = (number, map, row, column, cell) => {
      const [facts, shown, rules, failures, again, first] = cell;
      const parts = [make("p", `${row.about}. ${map.columns[column].name}: ${map.columns[column].about}.`)];
      parts.push(list(facts));
      if (shown.length) parts.push(...curves(number, map, row, cell));
      parts.push(make("h3", "Where and why it fails"));
      if (!failures.length) parts.push(make("p", "Nothing that should not happen has happened."));
      for (const [what, shows] of failures) parts.push(make("p", texts(what)), ...trial(shows));
      if (rules.length) parts.push(make("h3", "What intervened"), list(rules));
      parts.push(make("h3", "Measure it again"), command(again));
      if (first) parts.push(make("h3", "See its first trial"), ...trial(first));
      return parts;
    };
    const show = () => {
      const [, number, at, column] = location.hash.match(/^#cell-(\d+)-(\d+)-(\d+)$/) ?? [];
      if (number === undefined) return dialog.close();
      data ??= JSON.parse(find("#cells").textContent);
      const map = data.maps[number], row = map?.rows[at], cell = row?.cells[column];
      if (!cell) return dialog.close();
      find("#cell-title").textContent = `${row.name} · ${map.columns[column].name}`;
      find("#cell-content").replaceChildren(...content(number, map, row, column, cell));
      if (!dialog.open) dialog.showModal();
      find("#cell-close").focus();
      dialog.scrollTop = 0;
    };
    find("#cell-close").addEventListener("click", () => dialog.close());
    dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
    dialog.addEventListener("close", () => {
      const from = location.hash;
      if (!from.startsWith("#cell-")) return;
      history.replaceState(null, "", location.pathname + location.search);
      find(`[href="${from}"]`)?.focus();
    });
    addEventListener("hashchange", show);
    show();
  };

  const trials = () => all(".trial").forEach((trial) => {
    const slider = find("input", trial), said = find("output", trial);
    const step = (turn, moves) => {
      slider.value = turn;
      said.textContent = slider.value;
      const now = (it) => it.classList.toggle("now", it.dataset.turn === slider.value);
      all("[data-turn]", trial).forEach(now);
      const words = all(".truth > span:not(.whose), .fired", find("li.now", trial) ?? trial);
      slider.setAttribute("aria-valuetext", [slider.value, ...words.map((it) => it.textContent)].join(", "));
      if (moves) find("li.now", trial)?.scrollIntoView({ block: "start" });
    };
    find(".stepper", trial).hidden = false;
    slider.addEventListener("input", () => step(slider.value, true));
    trial.addEventListener("click", (event) => {
      const turn = event.target.closest("svg [data-turn]");
      if (turn) { step(turn.dataset.turn, true); slider.focus({ preventScroll: true }); }
    });
    step(slider.value, false);
  });

  colours();
  all(".heat").forEach((figure) => {
    const table = find("table", figure);
    sorted(table);
    filtered(figure, table);
    walked(table);
  });
  cells();
  trials();
})();
