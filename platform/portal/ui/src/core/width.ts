// The width of an element.

import { useLayoutEffect, useState } from "preact/hooks";
import type { RefObject } from "preact";

// useWidth returns the width of the content of an element in whole pixels, and 0 before the
// first drawing. The element is measured before the browser paints it, so that nobody sees
// the layout of another width. If the width is known, it is returned and nothing is measured.
export function useWidth(box: RefObject<HTMLElement | null>, known?: number): number {
  const [width, set] = useState(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || known !== undefined) {
      return;
    }
    const style = getComputedStyle(element);
    set(Math.floor(element.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)));
    const watch = new ResizeObserver((entries) => set(Math.floor(entries[0]?.contentRect.width ?? 0)));
    watch.observe(element);
    return () => watch.disconnect();
  }, [known]);
  return known ?? width;
}
