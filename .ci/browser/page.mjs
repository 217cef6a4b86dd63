// Opens the pages in a folder, and checks what a reader meets: `node page.mjs CHROMIUM FOLDER PICTURES`.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";

const [chromium, folder, pictures] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const url = (name) => {
  const [file, place] = name.split("#");
  return pathToFileURL(resolve(folder, file)).href + (place ? `#${place}` : "");
};

// What is antialiased differs between versions of a browser by shades of grey at the edges of letters. A line that
// moved, a colour or a mark that changed differs on far more points.
const SHADES = 64;
const SHARE = 0.01;

/// The longest time to load the largest page, in milliseconds, on the quickest of three tries: others use the machine.
const LOAD_MS = 1000;

const args = ["--no-sandbox", "--font-render-hinting=none"];
const browser = await puppeteer.launch({ executablePath: chromium, args });

async function open(name, { theme = "light", width = 1280, height = 900 } = {}) {
  const page = await browser.newPage();
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  page.on("pageerror", (error) => assert.fail(`${name}: ${error.message}`));
  page.on("console", (message) => assert.fail(`${name}: ${message.text()}`));
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([
    { name: "prefers-color-scheme", value: theme },
    { name: "prefers-reduced-motion", value: "reduce" },
  ]);
  await page.goto(url(name), { waitUntil: "load" });
  const own = url(name).split("#")[0];
  assert.deepEqual(asked.filter((it) => it.split("#")[0] !== own), [], `${name} asks for more`);
  return page;
}

async function accessible(page, view) {
  // The policy of the page lets no other code in, so axe comes in through the debugger.
  await page.evaluate(axe);
  const violations = await page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, { resultTypes: ["violations"] });
    return violations.map((it) => `${it.id}: ${it.help}: ${it.nodes.slice(0, 3).map((node) => node.html).join(" ")}`);
  });
  assert.deepEqual(violations, [], view);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${view}: the page is ${wide} points too wide`);
  const broken = await page.$$eval("th code, td code", (all) =>
    all.filter((it) => it.getClientRects().length > it.textContent.split(/[ -]/).length).map((it) => it.textContent));
  assert.deepEqual(broken.slice(0, 3), [], `${view}: a name in a table is broken within a word`);
}

const unfold = (page) =>
  page.evaluate(() => document.querySelectorAll("details").forEach((it) => { it.open = true; }));

async function everyView() {
  const cell = "bench.html#cell-0-3-1";
  let views = 0;
  for (const theme of ["light", "dark"]) {
    for (const width of [1280, 360]) {
      for (const name of ["bench.html", cell, "trial.html", "compare.html", "triage.html", "replay.html"]) {
        const page = await open(name, { theme, width });
        await accessible(page, `${name}, ${theme}, ${width}`);
        await page.close();
        views += 1;
      }
    }
    for (const name of ["bench.html", "trial.html", "compare.html", "triage.html", "replay.html"]) {
      for (const [medium, width] of [["screen", 1280], ["screen", 360], ["print", 720]]) {
        const page = await open(name, { theme, width });
        await page.emulateMediaType(medium);
        await unfold(page);
        await accessible(page, `${name}, ${theme}, ${width}, unfolded, on ${medium}`);
        await page.close();
        views += 1;
      }
    }
  }
  console.log(`axe: 0 violations on ${views} views`);
}

const focused = (page, what) => page.evaluate((what) => document.activeElement?.matches(what) ?? false, what);

/// Presses the tab key until this is focused.
async function tabTo(page, what, most = 60) {
  for (let at = 0; at < most; at += 1) {
    await page.keyboard.press("Tab");
    if (await focused(page, what)) return;
  }
  assert.fail(`the tab key does not come to ${what}`);
}

/// Walks through the first timeline of a page by the keyboard, from the turn that it begins at.
async function steps(name) {
  const page = await open(name);
  if (await page.$("details .trial")) {
    await tabTo(page, "summary");
    await page.keyboard.press("Enter");
  }
  await tabTo(page, "input[type=range]");
  const at = () => page.evaluate(() => {
    const trial = document.querySelector(".trial");
    const now = (what) => [...trial.querySelectorAll(what)].map((it) => it.dataset.turn);
    return [trial.querySelector(".stepper output").textContent, ...now("li.now"), ...now("svg .now")].map(Number);
  });
  const [first, last] = await page.$eval("input[type=range]", (it) => [Number(it.min), Number(it.max)]);
  const [start] = await at();
  const right = [["ArrowRight", start + 1], ["ArrowRight", start + 2]];
  const walk = [...right, ["ArrowLeft", start + 1], ["Home", first], ["End", last]];
  for (const [key, turn] of walk) {
    await page.keyboard.press(key);
    const found = await at();
    const all = found.length >= 3 && found.every((it) => it === turn);
    assert.ok(all, `${name}: ${key}: expected turn ${turn}, found ${found}`);
  }
  const seen = await page.$eval("li.now", (it) => {
    const { top, bottom } = it.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  });
  assert.ok(seen, `${name}: the turn is on the screen`);
  await page.close();
}

async function keyboard() {
  for (const name of ["trial.html", "triage.html", "replay.html"]) await steps(name);

  const bench = await open("bench.html");
  await tabTo(bench, ".cells td a", 120);
  await bench.keyboard.press("ArrowRight");
  await bench.keyboard.press("ArrowDown");
  await bench.keyboard.press("Enter");
  await bench.waitForSelector("#cell[open]");
  assert.match(await bench.$eval("#cell-title", (it) => it.textContent), / · /);
  await bench.keyboard.press("Escape");
  await bench.waitForFunction(() => !document.querySelector("#cell").open);
  assert.ok(await focused(bench, ".cells td a"), "the focus is back on the cell");
  console.log("keyboard: a trial and recorded runs by arrows, home and end; a cell by arrows, enter and escape");

  // Sorting by a stack puts the worst or the best scenario first, and a filter hides the others.
  const first = () => bench.$eval(".cells tbody tr:not(.group) th", (it) => it.textContent);
  const order = () => bench.$$eval(".cells[data-map='0'] tbody:first-of-type tr:not(.group)", (rows) =>
    rows.map((row) => Number(row.cells[2].dataset.order ?? -1)));
  await bench.$$eval(".cells thead button", (buttons) => buttons[2].click());
  const falling = await order();
  assert.deepEqual(falling, [...falling].sort((one, other) => other - one));
  await bench.type("[data-filter=rows]", "abandonment");
  assert.match(await first(), /./);
  assert.match(await bench.$eval(".filters output", (it) => it.textContent), /^1 of /);
  await bench.close();
}

/// The bar at the top stays above what scrolls below it, and no table is wider than a sheet of paper.
async function layout() {
  const page = await open("bench.html");
  await page.evaluate(() => { document.querySelector(".cells").scrollIntoView(); scrollBy(0, 100); });
  const covered = await page.$$eval(".top a, .top button", (all) => all.filter((it) => {
    const { left, top, width, height } = it.getBoundingClientRect();
    return !it.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  }).map((it) => it.textContent));
  assert.deepEqual(covered, [], "something covers the bar at the top");
  await page.close();
  // The width of A4 within the usual margins.
  for (const name of ["bench.html", "trial.html", "compare.html"]) {
    const page = await open(name, { width: 717 });
    await page.emulateMediaType("print");
    await unfold(page);
    const cut = await page.$$eval(".scroll", (all) =>
      all.filter((it) => it.scrollWidth > it.clientWidth).map((it) => it.getAttribute("aria-label")));
    assert.deepEqual(cut, [], `${name}: something is wider than a sheet of paper`);
    await page.close();
  }
  console.log("layout: the bar is free, and three pages fit on paper");
}

async function quick() {
  const times = [];
  for (let at = 0; at < 3; at += 1) {
    const page = await open("bench.html");
    times.push(await page.evaluate(() => performance.getEntriesByType("navigation")[0].loadEventEnd));
    await page.close();
  }
  const best = Math.round(Math.min(...times));
  assert.ok(best < LOAD_MS, `expected the page in ${LOAD_MS} ms, found ${times.map(Math.round)}`);
  console.log(`load: ${best} ms (of ${times.map(Math.round).join(", ")})`);
}

/// The share of points that differ between two pictures; 1 if their sizes do.
async function differ(one, other) {
  const page = await browser.newPage();
  const share = await page.evaluate(async (pictures, shades) => {
    const [one, other] = await Promise.all(pictures.map(async (picture) => {
      const image = new Image();
      image.src = `data:image/png;base64,${picture}`;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
      canvas.drawImage(image, 0, 0);
      return canvas.getImageData(0, 0, image.width, image.height);
    }));
    if (one.width !== other.width || one.height !== other.height) return 1;
    let points = 0;
    for (let at = 0; at < one.data.length; at += 4) {
      if ([0, 1, 2].some((part) => Math.abs(one.data[at + part] - other.data[at + part]) > shades)) points += 1;
    }
    return points / (one.width * one.height);
  }, [one, other].map((it) => it.toString("base64")), SHADES);
  await page.close();
  return share;
}

async function screenshots() {
  const probe = await browser.newPage();
  // Other fonts break lines elsewhere, so nothing could be compared.
  const width = await probe.evaluate(() => {
    const canvas = new OffscreenCanvas(1, 1).getContext("2d");
    canvas.font = "100px system-ui";
    return Math.round(canvas.measureText("Which guards bring stuck agents back").width);
  });
  await probe.close();
  const fonts = join(pictures, "fonts.txt");
  if (process.env.UPDATE) writeFileSync(fonts, `${width}\n`);
  if (!existsSync(fonts) || readFileSync(fonts, "utf8").trim() !== String(width)) {
    console.log("== SKIPPED: no screenshot was compared, since this machine has other fonts than docs/pictures");
    return;
  }
  for (const [name, of, theme, wide, unfolded] of [
    ["page-1280", "bench.html", "light", 1280],
    ["page-360", "bench.html", "dark", 360],
    ["cell-1280", "bench.html#cell-0-3-1", "light", 1280],
    ["trial-1280", "trial.html", "light", 1280],
    ["trial-360", "trial.html", "dark", 360],
    ["triage-1280", "triage.html", "light", 1280],
    ["triage-360", "triage.html", "dark", 360],
    ["recorded-1280", "triage.html", "light", 1280, "unfolded"],
    ["recorded-360", "triage.html", "dark", 360, "unfolded"],
  ]) {
    const page = await open(of, { theme, width: wide, height: wide === 360 ? 780 : 900 });
    if (unfolded) {
      await page.click("summary");
      await page.focus("input[type=range]");
      await page.keyboard.press("ArrowRight");
    }
    const found = Buffer.from(await page.screenshot());
    await page.close();
    const file = join(pictures, `${name}.png`);
    if (process.env.UPDATE) writeFileSync(file, found);
    const share = await differ(readFileSync(file), found);
    if (share > SHARE) {
      const kept = join(folder, "..", `${name}-found.png`);
      writeFileSync(kept, found);
      const percent = (100 * share).toFixed(2);
      assert.fail(`${file}: ${percent} % of the points differ; see ${kept}, and run UPDATE=1 .ci/page`);
    }
  }
  console.log("screenshots: as in docs/pictures");
}

try {
  await everyView();
  await keyboard();
  await layout();
  await quick();
  await screenshots();
} finally {
  await browser.close();
}
