// Texts with special handling: times, and names that are too long.

import { useLayoutEffect, useRef } from "preact/hooks";
import { instant, none, time, utc } from "../core/format";
import { visible } from "./visible";

// Time shows a time of the API in local time, and in UTC on hover.
export function Time({ at, show }: { at: string | undefined; show?: (ms: number) => string }) {
  const ms = instant(at);
  if (ms === undefined) {
    return <span class="text-3">{none}</span>;
  }
  return <time dateTime={at} data-tip={utc(ms)}>{(show ?? time)(ms)}</time>;
}

// cutMiddle shortens a text in the middle until it fits. width measures a text, and tail is
// the maximum number of characters at the end.
export function cutMiddle(text: string, room: number, width: (t: string) => number, tail = Infinity): string {
  if (width(text) <= room) {
    return text;
  }
  const chars = [...text];
  const cut = (kept: number) => {
    const head = Math.max(Math.ceil(kept * 0.55), kept - tail);
    return chars.slice(0, head).join("") + "…" + chars.slice(chars.length - (kept - head)).join("");
  };
  let low = 2;
  let high = chars.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (width(cut(middle)) <= room) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return cut(low);
}

const texts = new WeakMap<Element, { text: string; tail: number }>();
const advances = new Map<string, number>();
let ruler: HTMLSpanElement | undefined;

// advance returns the width of a character in a font, as the page draws names.
function advance(char: string, weight: string, size: string): number {
  const key = weight + size + char;
  const known = advances.get(key);
  if (known !== undefined) {
    return known;
  }
  ruler ??= document.body.appendChild(Object.assign(document.createElement("span"), { className: "ruler", ariaHidden: "true" }));
  ruler.style.fontWeight = weight;
  ruler.style.fontSize = size;
  ruler.textContent = char.repeat(20);
  const width = ruler.getBoundingClientRect().width / 20;
  advances.set(key, width);
  return width;
}

// fit shortens the text of a name to the width of its element.
function fit(e: HTMLElement): void {
  const { text, tail } = texts.get(e) ?? { text: "", tail: 0 };
  const room = e.clientWidth;
  if (room === 0) {
    return;
  }
  const style = getComputedStyle(e);
  const width = (t: string) => [...t].reduce((sum, c) => sum + advance(c, style.fontWeight, style.fontSize), 0);
  const shown = cutMiddle(text, room - 1, width, tail);
  if (e.textContent !== shown) {
    e.textContent = shown;
  }
  e.toggleAttribute("data-cut", shown !== text);
}

const watch = new ResizeObserver((entries) => {
  for (const entry of entries) {
    if (entry.target instanceof HTMLElement) {
      fit(entry.target);
    }
  }
});
document.fonts?.addEventListener("loadingdone", () => {
  advances.clear();
  document.querySelectorAll<HTMLElement>(".name").forEach(fit);
});

// Name shows a name that may be longer than its space. It is shortened in the middle,
// because both ends distinguish names; screen readers and the tip have the whole name.
export function Name({ text, tail = Infinity }: { text: string; tail?: number }) {
  const box = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const e = box.current;
    if (!e) {
      return;
    }
    texts.set(e, { text: visible(text), tail });
    e.textContent = visible(text);
    fit(e);
    watch.observe(e);
    return () => watch.unobserve(e);
  }, [text, tail]);
  return <span class="name" ref={box} data-tip-cut={visible(text)} />;
}
