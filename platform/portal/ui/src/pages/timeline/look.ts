// Colors of the timeline's canvases: those of life strips, or forced colors.

import { colors } from "../../design/lifepaint";
import type { Colors } from "../../design/lifepaint";

// Look has the colors of life strips, and one more.
export interface Look extends Colors {
  readonly hover: string;
}

// readLook reads the tokens of the theme. In forced colors, states differ by pattern and icon.
export function readLook(): Look {
  const k = colors();
  if (!matchMedia("(forced-colors: active)").matches) {
    return { ...k, hover: getComputedStyle(document.documentElement).getPropertyValue("--hover").trim() };
  }
  const states = Object.fromEntries(Object.keys(k.states).map((s) => [s, "CanvasText"]));
  return {
    ...k, states, page: "Canvas", panel: "Canvas", hover: "Canvas", text: "CanvasText", text2: "CanvasText", text3: "CanvasText", line: "GrayText", lineStrong: "CanvasText",
    accent: "Highlight", accentBack: "Canvas", onRunning: "Canvas", hole: "Canvas", gap: "GrayText", marked: "Canvas",
  };
}
