import assert from "node:assert/strict";
import { test } from "node:test";
import type { LogLine } from "../../api";
import { columns } from "../../design/visible";
import { hitsIn, LogModel, mostLines, scaleOf, windowOf } from "./logmodel";
import { withLines } from "./logsources";
import { LogStream, parsed } from "./logstream";
import type { Source } from "./logstream";

const made = (n: number): LogLine[] => Array.from({ length: n }, (_, i) => ({ text: `line ${i} 训练 \u001b[31m `.repeat(1 + (i % 7)) }));

test("rows of wrapped lines are the lines", () => {
  const model = new LogModel();
  model.append(made(2000));
  assert.equal(model.rows, 2000);
  model.wrap(40);
  const texts: string[] = Array.from({ length: 2000 }, () => "");
  for (let n = 0; n < model.rows; n++) {
    const row = model.row(n) ?? { line: -1, text: "", offset: -1, first: false };
    assert.ok(columns(row.text) <= 40);
    assert.equal(row.offset, (texts[row.line] ?? "").length);
    assert.equal(model.rowOf(row.line, row.offset), n);
    texts[row.line] += row.text;
  }
  texts.forEach((text, i) => assert.equal(text, model.text(i)));
  assert.equal(model.row(model.rows), undefined);
});

test("the model is bounded, and says how many rows it lost", () => {
  const model = new LogModel();
  let lost = 0;
  for (let i = 0; i < 30; i++) {
    lost += model.append(made(5000));
  }
  assert.ok(model.length <= mostLines * 1.1);
  assert.equal(model.length + model.dropped, 150_000);
  assert.equal(lost, model.dropped);
  model.clear();
  model.append(made(10));
  assert.equal(model.prepend(made(5)), 5);
  assert.equal(model.rows, 15);
});

test("100,000 lines are held, wrapped and searched", () => {
  const model = new LogModel();
  model.append(made(100_000));
  model.wrap(80);
  assert.ok(model.rows > 100_000);
  assert.ok(model.search("LINE 99999").length > 0);
});

test("hits are where the text is, in both cases of letters, and patterns are text", () => {
  const model = new LogModel();
  model.append([{ text: "Error: a.b (x) ERROR" }, { text: "aXb" }]);
  assert.deepEqual(model.search("error").map((h) => [h.line, h.from, h.to]), [[0, 0, 5], [0, 15, 20]]);
  assert.equal(model.search("a.b").length, 1);
  assert.equal(model.search("(").length, 1);
  const row = model.row(0) ?? { line: -1, text: "", offset: -1, first: false };
  assert.deepEqual(hitsIn(row, model.search("error")).map((h) => [h.from, h.to, h.hit]), [[0, 5, 0], [15, 20, 1]]);
});

test("only visible rows are drawn, and tall lists are scaled", () => {
  assert.deepEqual(windowOf(0, 400, 20, 1000), { from: 0, to: 40 });
  assert.deepEqual(windowOf(1e9, 400, 20, 1000), { from: 1000, to: 1000 });
  assert.equal(scaleOf(1000, 20, 400), 1);
  const scale = scaleOf(1_000_000, 20, 400);
  assert.ok(Math.abs((8_000_000 - 400) * scale - (20_000_000 - 400)) < 1, "the end of the scroll is the end of the rows");
});

// Fake is a stream with events from the test.
class Fake implements Source {
  private readonly all = new Map<string, (e: MessageEvent<string>) => void>();
  closed = false;
  addEventListener(type: string, f: (e: MessageEvent<string>) => void): void {
    this.all.set(type, f);
  }
  close(): void {
    this.closed = true;
  }
  send(type: string, data = ""): void {
    this.all.get(type)?.({ data } as MessageEvent<string>);
  }
}

test("lines of a stream arrive in order and in groups; the end hands on the last ones", () => {
  const source = new Fake();
  const got: string[][] = [];
  let ended: string | undefined;
  new LogStream(source, (lines) => got.push(lines.map((l) => l.text)), (said) => { ended = said; }, () => undefined);
  source.send("line", '{"text":"a"}');
  source.send("line", "no JSON");
  source.send("line", '{"text":"b"}');
  assert.equal(got.length, 0);
  source.send("end");
  assert.deepEqual(got, [["a", "b"]]);
  assert.ok(source.closed);
  assert.equal(ended, "");
  assert.equal(parsed('{"text":3}'), undefined);
});

test("a stream that breaks is closed, and says so", () => {
  const source = new Fake();
  let broken = 0;
  new LogStream(source, () => undefined, () => assert.ok(false, "it did not end"), () => broken++);
  source.send("error");
  assert.ok(source.closed);
  assert.equal(broken, 1);
});

test("a pod that begins while the log is followed is a source", () => {
  const line = (pod: string, attempt: number) => ({ pod, container: "main", attempt, text: "x" });
  const first = [{ pod: "a", container: "main", attempt: 1, live: true }];
  assert.equal(withLines(first, [line("a", 1), { text: "", note: "cut" }, line("a", 1)]), first);
  const more = withLines(first, [line("a", 1), line("b", 2), line("a", 1), line("b", 2), line("a", 2)]);
  assert.deepEqual(more.map((s) => `${s.pod}/${s.container}/${s.attempt}`), ["a/main/1", "b/main/2", "a/main/2"]);
});
