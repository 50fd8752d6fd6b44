// Keyboard shortcuts. Components register keys while they are shown; the newest binding
// wins.

import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

// Binding is the action of a key. Names: "j", "Enter", "Escape", "g t" (two keys),
// "Mod+k".
export interface Binding {
  key: string;
  // what describes the action in the list of keys; empty keeps it off the list.
  what: string;
  run: (e: KeyboardEvent) => void;
  // typing also runs the action while a person types.
  typing?: boolean;
}

const layers: { bindings: Binding[] }[] = [];
let first = "";
let firstAt = 0;

// helpShown reports whether the list of keys is visible.
export const helpShown = signal(false);

// bindings returns the keys that work now, the newest first, each once.
export function bindings(): Binding[] {
  const seen = new Set<string>();
  const all: Binding[] = [];
  for (const layer of layers.toReversed()) {
    for (const b of layer.bindings) {
      if (!seen.has(b.key)) {
        seen.add(b.key);
        all.push(b);
      }
    }
  }
  return all;
}

// useKeys registers keys while the component is mounted.
export function useKeys(list: Binding[], active = true): void {
  const layer = useRef({ bindings: list });
  layer.current.bindings = list;
  // A person who sees the component may press a key at once.
  useLayoutEffect(() => {
    if (!active) {
      return;
    }
    const mine = layer.current;
    layers.push(mine);
    return () => {
      layers.splice(layers.indexOf(mine), 1);
    };
  }, [active]);
}

// typing reports whether a key belongs to a field.
export function typing(e: KeyboardEvent): boolean {
  const t = e.target;
  return t instanceof HTMLElement && (t.isContentEditable || t instanceof HTMLInputElement && !/^(checkbox|radio|range|button)$/.test(t.type) || t instanceof HTMLTextAreaElement || t instanceof HTMLSelectElement);
}

// operable reports whether the browser gives a key its own meaning on an element.
function operable(e: KeyboardEvent): boolean {
  const t = e.target;
  return (e.key === "Enter" || e.key === " ") && t instanceof HTMLElement && t.closest("a, button, summary, input, select, [role=menuitem], [role=option], [role=tab]") !== null;
}

function nameOf(e: KeyboardEvent): string {
  const key = e.key === " " ? "Space" : e.key;
  return e.metaKey || e.ctrlKey ? "Mod+" + key.toLowerCase() : key;
}

function press(e: KeyboardEvent): void {
  if (e.isComposing || e.altKey || e.defaultPrevented) {
    return;
  }
  const name = nameOf(e);
  const inField = typing(e);
  const sequence = first !== "" && e.timeStamp - firstAt < 1000 ? first + " " + name : name;
  const all = bindings();
  const found = all.find((b) => b.key === sequence) ?? all.find((b) => b.key === name);
  first = "";
  if (!found || (inField && !found.typing) || (!found.typing && operable(e))) {
    if (!inField && all.some((b) => b.key.startsWith(name + " "))) {
      first = name;
      firstAt = e.timeStamp;
    }
    return;
  }
  e.preventDefault();
  found.run(e);
}

// startKeys starts to listen.
export function startKeys(): void {
  document.addEventListener("keydown", press);
}
