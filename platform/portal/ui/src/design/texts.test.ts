import assert from "node:assert/strict";
import { test } from "node:test";
import { createElement, Fragment } from "preact";
import type { VNode } from "preact";
import { guardTexts } from "./texts";
import { visible } from "./visible";

guardTexts();

// props returns the properties of an element.
function props<P>(node: VNode<P>): Record<string, unknown> {
  return node.props as Record<string, unknown>;
}

test("texts cannot turn around, move or hide what stands beside them", () => {
  assert.equal(props(createElement("b", null, "safe\u202egnp.exe"))["children"], "safe\u2329202E\u232agnp.exe");
  assert.deepEqual(props(createElement("td", null, "a\u2066", 1, "\u001b]0;x\u0007"))["children"], ["a\u23292066\u232a", 1, "\u241b]0;x\u2407"]);
  assert.equal(props(createElement("a", { title: "\u202ex", href: "/a" }))["title"], "\u2329202E\u232ax");
  assert.equal(props(createElement("span", { "aria-label": "\u200fx" }))["aria-label"], "\u2329200F\u232ax");
  assert.equal(props(createElement(Fragment, null, "\u202e"))["children"], "\u2329202E\u232a");
});

test("other texts stay as they are", () => {
  for (const text of ["", "line\n\tnext\n", "\u4f5c\u4e1a \ud83d\ude80"]) {
    assert.equal(visible(text), text);
    assert.equal(props(createElement("pre", null, text))["children"], text);
  }
  const inner = createElement("i", null);
  assert.deepEqual(props(createElement("p", null, inner, null, "x"))["children"], [inner, null, "x"]);
});

test("what people edit keeps its value", () => {
  assert.equal(props(createElement("textarea", { value: "\u202e" }))["value"], "\u202e");
});
