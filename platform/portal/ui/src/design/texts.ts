// All texts of the pages pass through here, so that none is forgotten.

import { Fragment, options } from "preact";
import { visible } from "./visible";

// guardTexts makes control and direction characters visible in the texts of all elements created
// from now on, including tips and labels for screen readers. Editable fields are not changed.
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
