// All texts of the pages pass through here, so that no page can forget one.

import { Fragment, options } from "preact";
import { visible } from "./visible";

// guardTexts makes control and direction characters visible in the texts of all elements that are
// made from now on, also in those that a browser shows as a tip or reads out. Fields that people
// edit keep theirs.
export function guardTexts(): void {
  const before = options.vnode;
  options.vnode = (node) => {
    if (typeof node.type === "string" || node.type === Fragment) {
      const props = node.props as Record<string, unknown>;
      for (const name of ["children", "title", "aria-label", "data-tip", "data-tip-cut"]) {
        if (props[name]) props[name] = guarded(props[name]);
      }
    }
    before?.(node);
  };
}

function guarded(v: unknown): unknown {
  return typeof v === "string" ? visible(v) : Array.isArray(v) ? v.map(guarded) : v;
}
