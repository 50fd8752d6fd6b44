// Overlays above the pages: the palette and the list of keys.

import { go, to } from "../core/router";
import { helpShown, useKeys } from "../core/keys";
import { toggleTheme } from "../core/theme";
import { words } from "../words";
import { KeyHelp } from "./keyhelp";
import { Palette, paletteShown } from "./palette";

// Overlays registers the keys that work everywhere.
export function Overlays() {
  const w = words.value;
  useKeys([
    { key: "Mod+k", what: w.keys.palette, typing: true, run: () => { paletteShown.value = !paletteShown.peek(); } },
    { key: "?", what: w.keys.list, run: () => { helpShown.value = !helpShown.peek(); } },
    { key: "g j", what: `${w.keys.go} ${w.nav.jobs}`, run: () => go(to("/jobs")) },
    { key: "g t", what: `${w.keys.go} ${w.nav.timeline}`, run: () => go(to("/timeline")) },
    { key: "g s", what: `${w.keys.go} ${w.nav.stats}`, run: () => go(to("/stats")) },
    { key: "g o", what: `${w.keys.go} ${w.nav.operations}`, run: () => go(to("/operations")) },
    { key: "c", what: w.keys.submit, run: () => go(to("/submit")) },
    { key: "t", what: w.keys.theme, run: toggleTheme },
  ]);
  return (
    <>
      {paletteShown.value ? <Palette /> : null}
      {helpShown.value ? <KeyHelp /> : null}
    </>
  );
}
