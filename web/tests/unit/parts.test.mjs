// SPDX-License-Identifier: MIT OR GPL-2.0-only
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { close, load } from "../load.mjs";

after(close);
globalThis.location = { hash: "" };
const { Parser } = await load("lib/sse.ts");
const { History } = await load("lib/history.ts");
const { split } = await load("lib/token.ts");
const { read } = await load("lib/route.ts");
const { pathAt } = await load("scenario/where.ts");
const { distanceAt, isPlaced, metres, radiusOf, stepped, NEAREST, FARTHEST } = await load("scenario/place.ts");
const { number, unitOf, withUnit } = await load("lib/figures.ts");
const { Course, KEPT } = await load("live/feed.ts");
const { path } = await load("live/path.ts");
const { rangeOf } = await load("experiments/published.ts");
const { freeName, stationBlock } = await load("scenario/blocks.ts");

test("an event stream, however it is cut", () => {
  const text = "id: 4\r\nevent: step\r\ndata: {\"a\":1}\r\n\r\n: still there\n\ndata: x\ndata:  y\n\nevent: lost\n\nid\rdata\r\r\n";
  const want = [
    { name: "step", data: '{"a":1}', id: "4" },
    { name: "message", data: "x\n y", id: "4" },
    { name: "message", data: "", id: "" },
  ];
  for (let size = 1; size <= text.length; size++) {
    const parser = new Parser();
    const events = [];
    for (let at = 0; at < text.length; at += size) events.push(...parser.feed(text.slice(at, at + size)));
    assert.deepEqual(events, want, `pieces of ${size}`);
    assert.equal(parser.lastId, "");
  }
});

test("undo and redo, with quick typing as one step, and no other change", () => {
  const history = new History("a");
  history.change("ab", true, 0);
  history.change("abc", true, 100);
  history.change("abcd", false, 150);
  history.change("abcde", false, 160);
  history.change("abcdef", true, 170);
  history.change("abcdefg", true, 5000);
  const texts = [];
  while (history.canUndo) texts.push((history.undo(), history.text));
  assert.deepEqual(texts, ["abcdef", "abcde", "abcd", "abc", "a"]);
  history.redo();
  assert.equal(history.text, "abc");
  history.change("x", true, 5100);
  assert.equal(history.canRedo, false);
  history.undo();
  assert.equal(history.text, "abc");
});

test("the token is taken from the fragment, and the rest stays", () => {
  assert.deepEqual(split("#token=ab-_1"), { token: "ab-_1", rest: "" });
  assert.deepEqual(split("#results&token=x"), { token: "x", rest: "results" });
  assert.deepEqual(split("#study=abc"), { token: null, rest: "study=abc" });
});

test("an address names a view", () => {
  assert.deepEqual(read("#experiments/chap/starve"), { view: "experiments", of: "chap/starve", packed: null });
  assert.deepEqual(read("#live/our%20house"), { view: "live", of: "our house", packed: null });
  assert.equal(read("#study=a_b").packed, "a_b");
  assert.equal(read("#token=x&study=a_b").packed, "a_b");
  assert.equal(read("#token=x&live").view, "live");
  for (const odd of ["", "#", "#%", "#nothing/x"]) assert.equal(read(odd).view, "scenario");
});

test("a line of the text is a value's path", () => {
  const text = 'duration = "3s"\n[wifi]\nattempts = 4\n[queue]\nchap.limit = 7\n[queue.fifo]\nlimit = 3\n[[station]]\n# x\ndistance = 3\nname = "our tablet"\n[[app]]\nkind = "game"\n';
  const paths = text.split("\n").map((_, i) => pathAt(text, i + 1));
  assert.deepEqual(paths, [
    "duration", null, "wifi.attempts", null, "queue.chap.limit", null, "queue.fifo.limit", null, null,
    'station."our tablet".distance', 'station."our tablet".name', null, null, null,
  ]);
  assert.equal(pathAt(text, 0), null);
  assert.equal(pathAt(text, 99), null);
});

test("a place on the plan is a distance, and back", () => {
  for (const distance of [0.5, 1, 2.5, 9.9, 14, 60, 100]) assert.equal(distanceAt(radiusOf(distance)), distance);
  assert.equal(distanceAt(-3), NEAREST);
  assert.equal(distanceAt(9), FARTHEST);
  assert.deepEqual([metres(3), metres("3 m"), metres("3.5"), metres("far"), metres(0), metres(null)], [3, 3, 3.5, null, null, null]);
  for (let distance = NEAREST, i = 0; distance < FARTHEST; i++) {
    const next = stepped(distance, true, false);
    assert.ok(next > distance && i < 200, `${distance} to ${next}`);
    assert.ok(stepped(next, false, false) < next);
    distance = next;
  }
  assert.equal(stepped(FARTHEST, true, true), FARTHEST);
  assert.equal(stepped(NEAREST, false, false), NEAREST);
});

test("numbers have three digits that count, and a unit", () => {
  assert.deepEqual([0, 4.2449, 23.07, 0.0123, 123.4, -1.5, 0.00012, NaN].map(number), ["0", "4.24", "23.1", "0.012", "123", "−1.50", "1.2e−4", "–"]);
  assert.equal(withUnit("queue_delay_p99_seconds", 0.0157), "15.7 ms");
  assert.equal(withUnit("page_seconds", 0.84), "0.840 s");
  assert.equal(withUnit("goodput_bits_per_second", 23_100_000), "23.1 Mb/s");
  assert.equal(withUnit("loss_ratio", 0.0296), "2.96 %");
  assert.equal(unitOf("game_mos_window").unit, "MOS");
  assert.equal(unitOf("retransmits").unit, "");
});

const RATES = { down_air_ratio: 0.25, up_air_ratio: 0.25, sojourn_p99_s: 0.02 };
const snapshot = (now_s, stations, count = 1) => ({
  now_s, qdisc: { packets: now_s }, stations: stations.map((name) => ({ name, rates: RATES })), hops: { queue: { p50_s: 0.01, count } }, flows: [], apps: [],
});

test("a course has a column of the same length for each station, whenever it came", () => {
  const course = new Course();
  course.add(snapshot(1, ["a"]));
  course.add(snapshot(2, ["a", "b"], 0));
  course.add(snapshot(2, ["a", "b"]));
  course.add(snapshot(3, ["b"]));
  assert.deepEqual(course.times, [1, 2, 3]);
  assert.deepEqual(course.air.get("a"), [50, 50, null]);
  assert.deepEqual(course.air.get("b"), [null, 50, 50]);
  assert.deepEqual(course.delay.get("b"), [null, 20, 20]);
  assert.deepEqual(course.hops.get("queue"), [10, null, 10]);
  course.add(snapshot(1, ["a"]));
  assert.deepEqual(course.times, [1], "the house began anew");
});

test("a course keeps an hour, and its marks", () => {
  const course = new Course();
  course.mark({ at: 10, what: "chap" });
  for (let i = 1; i <= KEPT + 200; i++) course.add(snapshot(i, ["a"]));
  course.mark({ at: KEPT, what: "fifo" });
  course.mark({ at: KEPT, what: "fifo" });
  assert.ok(course.times.length >= KEPT && course.times.length <= KEPT + 60);
  assert.equal(course.times.at(-1), KEPT + 200);
  assert.equal(course.air.get("a").length, course.times.length);
  assert.deepEqual(course.marks, [{ at: KEPT, what: "fifo" }]);
});

test("a line has the points that show it, and a gap where nothing is known", () => {
  const drawn = (values, to = values.length - 1) => {
    const steps = [];
    const pen = { moveTo: (x, y) => steps.push(`M${x},${y}`), lineTo: (x, y) => steps.push(`L${x},${y}`) };
    path(pen, values, [0, to], (i) => 10 * i, (value) => value);
    return steps.join(" ");
  };
  assert.equal(drawn([1, 2, 4]), "M0,1 L10,2 L20,4");
  // Level parts are a line from end to end, whether something follows or not.
  assert.equal(drawn([1, 1, 1, 1, 5, 5, 5]), "M0,1 L30,1 L40,5 L60,5");
  // A peak of one point stays, where it is.
  assert.equal(drawn([1, 1, 9, 1, 1]), "M0,1 L10,1 L20,9 L30,1 L40,1");
  // A quarter of a pixel is no change; what adds up to half of one is.
  assert.equal(drawn([1, 1.2, 1.24, 1.26, 1.3]), "M0,1 L20,1 L30,1.5 L40,1.5");
  assert.equal(drawn([1, 1, null, 2, 2, undefined, 3]), "M0,1 L10,1 M30,2 L40,2 M60,3");
  assert.equal(drawn([null, 1, 2, 3], 2), "M10,1 L20,2");
  assert.equal(drawn([]), "");
});

test("expected ranges are read as they are told", () => {
  assert.deepEqual(rangeOf("3.2 to 3.7"), { least: 3.2, most: 3.7 });
  assert.deepEqual(rangeOf("-1 to 0.5"), { least: -1, most: 0.5 });
  assert.deepEqual(rangeOf("at least 0.995"), { least: 0.995, most: null });
  assert.deepEqual(rangeOf("at most 10"), { least: null, most: 10 });
  assert.equal(rangeOf("rises"), null);
});

test("what the form adds has a free name, and is TOML", () => {
  assert.equal(freeName("station", ["tv", "station", "station-2"]), "station-3");
  assert.equal(stationBlock("station", { rate: "54Mb/s", distance: 3, walk: [] }), '[[station]]\nname = "station"\nrate = "54Mb/s"\ndistance = 3\n');
});

test("a station given by other keys than its distance has no place on the plan", () => {
  assert.ok(isPlaced({ name: "a" }), "at 1 m, which dragging changes");
  assert.ok(isPlaced({ name: "a", distance: 3, mcs: 7 }));
  for (const key of ["mcs", "snr", "fer", "mpdu_error_rate", "walk"]) assert.ok(!isPlaced({ name: "a", [key]: 0 }), key);
  assert.ok(!isPlaced({ distance: 3 }), "it has no name");
});
