// SPDX-License-Identifier: MIT OR GPL-2.0-only
// The view of the scenario: form, text, plan, undo.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { close, kept, openEditor, textOf, until, visit } from "./browser.mjs";
import { api, serve } from "./serve.mjs";

let server;
before(async () => (server = await serve()));
after(async () => {
  await close();
  await server.stop();
});

const verdict = (page) => page.locator(".pane-head .verdict");
const card = (page, name) => page.getByRole("group", { name: new RegExp(`^${name}\\b`) });

test("the token leaves the address, and the page is what the server brings", async () => {
  const { page, end } = await visit(server);
  await verdict(page).getByText("can be run").waitFor();
  assert.equal(new URL(page.url()).hash, "");
  const [home] = await api(server, "scenarios").then((all) => all.filter(({ name }) => name === "home"));
  assert.equal(await textOf(page), home.text);
  await end();
});

test("without the token the page says what to do", async () => {
  const { page, end, complaints } = await visit(server);
  await page.evaluate(() => sessionStorage.clear());
  await page.reload();
  await page.getByText("open the address that `airtab serve` printed").waitFor();
  // The browser tells of the refused requests.
  assert.ok(complaints.length > 0 && complaints.every((text) => text.includes("401")), complaints.join("\n"));
  complaints.length = 0;
  await end();
});

test("what is typed is checked: the command line's words, at its place, in list, gutter and field", async () => {
  const { page, end } = await visit(server);
  await verdict(page).getByText("can be run").waitFor();
  await openEditor(page);
  await page.keyboard.press("Control+Home");
  await page.keyboard.type('durations = "3s"\n');
  await verdict(page).getByText("1 problem").waitFor();
  const text = await textOf(page);
  const { problems } = await api(server, "check", { method: "POST", body: JSON.stringify({ text }) });
  assert.equal(problems.length, 1);
  assert.match(problems[0].message, /did you mean `duration`/);
  const item = page.locator(".problems li");
  assert.equal(await item.count(), 1);
  assert.ok((await item.textContent()).endsWith(problems[0].message));
  assert.equal(await item.locator("button").textContent(), `${problems[0].line}:${problems[0].column}`);
  assert.equal(await page.locator(".editor .cm-lint-marker-error").count(), 1);
  assert.equal(await page.locator(".editor .cm-lintRange-error").textContent(), "durations");
  assert.equal(await page.getByRole("button", { name: /^Run \d/ }).isDisabled(), true);
  // Taken away again, by the page's undo within the editor.
  await page.keyboard.press("Control+z");
  await verdict(page).getByText("can be run").waitFor();
  assert.equal(await page.locator(".editor .cm-lint-marker-error").count(), 0);
  await end();
});

test("a wrong value is told at its field", async () => {
  const { page, end } = await visit(server);
  await verdict(page).getByText("can be run").waitFor();
  const rate = card(page, "tablet").getByLabel("rate");
  await rate.fill("54 parsecs");
  await rate.press("Enter");
  await verdict(page).getByText("1 problem").waitFor();
  assert.equal(await rate.getAttribute("aria-invalid"), "true");
  const id = await rate.getAttribute("aria-describedby");
  const said = await page.locator(`[id="${id}"]`).textContent();
  assert.ok((await page.locator(".problems li").textContent()).includes(said.trim()));
  await end();
});

test("a value of the form changes its line alone: comments and layout stay", async () => {
  const { page, end } = await visit(server);
  await verdict(page).getByText("can be run").waitFor();
  const before = await textOf(page);
  const field = card(page, "console").getByLabel("distance");
  await field.fill("7.5");
  await field.press("Enter");
  await kept(page, "7.5");
  const lines = (text) => text.split("\n");
  const changed = lines(await textOf(page));
  const differing = lines(before).flatMap((line, i) => (line === changed[i] ? [] : [[line, changed[i]]]));
  assert.deepEqual(differing, [["distance = 1.0                # metres", "distance = 7.5                # metres"]]);
  // Emptied, the value goes.
  await field.fill("");
  await field.press("Enter");
  await kept(page, /^(?!.*7\.5)/s);
  assert.equal(lines(await textOf(page)).length, lines(before).length - 1);
  // Two steps back, one forward.
  const undo = page.getByRole("button", { name: "Undo" });
  await undo.click();
  await undo.click();
  assert.equal(await textOf(page), before);
  assert.equal(await undo.isDisabled(), true);
  await page.getByRole("button", { name: "Redo" }).click();
  assert.match(await textOf(page), /distance = 7\.5 {16}# metres/);
  await end();
});

test("a key more is chosen and set; a station and an application are added and removed", async () => {
  const { page, end } = await visit(server);
  await verdict(page).getByText("can be run").waitFor();
  const before = await textOf(page);
  await page.getByLabel("Add a value to wifi").selectOption("aggregation");
  await page.getByLabel("aggregation").selectOption("off");
  await kept(page, 'aggregation = "off"');
  await page.getByRole("button", { name: "Add a station" }).click();
  await card(page, "station").waitFor();
  await page.getByLabel("Add an application").selectOption("upload");
  await card(page, "upload").waitFor();
  await verdict(page).getByText("can be run").waitFor();
  const text = await textOf(page);
  assert.ok(text.includes('[[station]]\nname = "station"\nrate = "54Mb/s"\ndistance = 1\n'));
  assert.ok(text.includes('[[app]]\nname = "upload"\nkind = "upload"\nstation = "console"\n'));
  await page.getByRole("button", { name: "Remove upload", exact: true }).click();
  await card(page, "upload").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Remove station", exact: true }).click();
  await card(page, "station").waitFor({ state: "detached" });
  const left = (await textOf(page)).replace('aggregation = "off"\n', "").trimEnd();
  assert.equal(left, before.trimEnd());
  await end();
});

test("a station is dragged on the plan, and moved by keys", async () => {
  const { page, end } = await visit(server);
  await verdict(page).getByText("can be run").waitFor();
  const station = page.getByRole("slider", { name: "Distance of phone" });
  const hub = await page.locator(".plan .hub").boundingBox();
  const box = await station.locator(".dot").boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  const away = 1.9;
  await page.mouse.move(hub.x + hub.width / 2 + (x - hub.x - hub.width / 2) * away, hub.y + hub.height / 2 + (y - hub.y - hub.height / 2) * away, { steps: 8 });
  const shown = Number(await station.getAttribute("aria-valuenow"));
  assert.ok(shown > 2, `${shown} m`);
  await page.mouse.up();
  const field = card(page, "phone").getByLabel("distance");
  await kept(page, `distance = ${shown}`);
  await until(async () => assert.equal(await field.inputValue(), String(shown)));
  // By keys: three steps out are one change.
  await station.focus();
  for (let i = 0; i < 3; i++) await page.keyboard.down("ArrowRight");
  await page.keyboard.up("ArrowRight");
  const away3 = shown * 1.1 ** 3;
  const text = await until(async () => {
    const now = await kept(page, "phone");
    assert.ok(!now.includes(`name = "phone"\nrate = "54Mb/s"\ndistance = ${shown}\n`));
    return now;
  });
  const moved = Number(/name = "phone"\nrate = "54Mb\/s"\ndistance = (.*)/.exec(text)[1]);
  assert.ok(Math.abs(moved - away3) < 0.3, `${shown} m, three steps out: ${moved} m`);
  await until(async () => assert.equal(await field.inputValue(), String(moved)));
  await end();
});

test("a text that is no TOML leaves the form, and says so", async () => {
  const { page, end } = await visit(server);
  await verdict(page).getByText("can be run").waitFor();
  await openEditor(page);
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("[");
  await verdict(page).getByText(/problem/).waitFor();
  assert.ok(await card(page, "console").isVisible());
  await page.keyboard.press("Backspace");
  await verdict(page).getByText("can be run").waitFor();
  await end();
});

test("a reload keeps the study", async () => {
  const { page, end } = await visit(server);
  await verdict(page).getByText("can be run").waitFor();
  await page.getByLabel("Seeds").fill("7");
  await page.getByLabel("Seeds").press("Tab");
  await page.getByLabel("Start from").selectOption("family");
  await kept(page, "family");
  const text = await textOf(page);
  await page.reload();
  await verdict(page).getByText("can be run").waitFor();
  assert.equal(await textOf(page), text);
  assert.equal(await page.getByLabel("Seeds").inputValue(), "7");
  await end();
});
