// One tip for all elements with data-tip. It repeats or explains; it never has the only
// copy of a fact.

import { useEffect, useRef, useState } from "preact/hooks";

interface Shown {
  text: string;
  box: DOMRect;
}

const delay = 400;

// textOf returns the tip of an element. data-tip-cut counts only if the text is
// truncated.
function textOf(e: Element): string {
  const cut = e.getAttribute("data-tip-cut");
  if (cut !== null) {
    return e.hasAttribute("data-cut") || e.scrollWidth > e.clientWidth ? cut : "";
  }
  return e.getAttribute("data-tip") ?? "";
}

// Tips shows the tip of the element under the pointer or in focus.
export function Tips() {
  const [shown, show] = useState<Shown | undefined>(undefined);
  const float = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last: Element | null = null;
    const enter = (e: Event) => {
      const target = e.target instanceof Element ? e.target.closest("[data-tip], [data-tip-cut]") : null;
      if (target === last) {
        return;
      }
      last = target;
      clearTimeout(timer);
      show(undefined);
      const text = target ? textOf(target) : "";
      if (target && text !== "" && (e.type === "pointerover" || target.matches(":focus-visible"))) {
        timer = setTimeout(() => target.isConnected && show({ text, box: target.getBoundingClientRect() }), delay);
      }
    };
    const leave = () => {
      last = null;
      clearTimeout(timer);
      show(undefined);
    };
    document.addEventListener("pointerover", enter);
    document.addEventListener("focusin", enter);
    document.addEventListener("pointerdown", leave);
    document.addEventListener("keydown", leave);
    document.addEventListener("scroll", leave, true);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("pointerover", enter);
      document.removeEventListener("focusin", enter);
      document.removeEventListener("pointerdown", leave);
      document.removeEventListener("keydown", leave);
      document.removeEventListener("scroll", leave, true);
    };
  }, []);
  useEffect(() => {
    const tip = float.current;
    if (!tip || !shown) {
      return;
    }
    const { box } = shown;
    const left = Math.max(8, Math.min(innerWidth - tip.offsetWidth - 8, box.left + box.width / 2 - tip.offsetWidth / 2));
    const below = box.bottom + 6 + tip.offsetHeight < innerHeight;
    tip.style.left = left + "px";
    tip.style.top = (below ? box.bottom + 6 : box.top - tip.offsetHeight - 6) + "px";
  }, [shown]);
  return shown ? <div class="tip" role="tooltip" ref={float}>{shown.text}</div> : null;
}
