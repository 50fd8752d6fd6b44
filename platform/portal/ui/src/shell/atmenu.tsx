// The menu of the instant: now, or everything as of a time.

import { useState } from "preact/hooks";
import { second, serverNow } from "../core/clock";
import { instant, time } from "../core/format";
import { parseTime, writtenTime } from "../core/instant";
import { at, setQuery } from "../core/router";
import { Button } from "../design/button";
import { Menu } from "../design/menu";
import { words } from "../words";

const ages: [string, number][] = [["15 min", 900], ["1 h", 3600], ["6 h", 21600], ["24 h", 86400], ["7 d", 604800]];

// AtMenu selects the instant of all pages.
export function AtMenu() {
  const w = words.value;
  const shown = instant(at.value) ?? parseTime(at.value);
  return (
    <Menu class="at-menu" icon="clock" label={w.at.label} text={shown === undefined ? w.at.now : time(shown, second.value)} side="right">
      {(close) => <Choice close={close} />}
    </Menu>
  );
}

function Choice({ close }: { close: () => void }) {
  const w = words.value;
  const [text, type] = useState("");
  const [wrong, mark] = useState(false);
  const show = (ms: number | undefined) => {
    if (ms === undefined) {
      mark(true);
      return;
    }
    setQuery({ at: writtenTime(ms) });
    close();
  };
  return (
    <div>
      <form class="menu-form" onSubmit={(e) => { e.preventDefault(); show(parseTime(text)); }}>
        <label for="at-field">{w.at.pick}</label>
        <input class="field" id="at-field" value={text} placeholder="09:15" autocomplete="off" aria-invalid={wrong} aria-describedby="at-help" onInput={(e) => { type(e.currentTarget.value); mark(false); }} />
        <span class="note" id="at-help">{wrong ? w.at.wrong : w.at.help}</span>
        <Button type="submit">{w.at.go}</Button>
      </form>
      {ages.map(([name, seconds]) => <button class="menu-item" type="button" onClick={() => show(serverNow() - seconds * 1000)}>{w.at.ago(name)}</button>)}
      {at.value === "" ? null : <button class="menu-item" type="button" onClick={() => { setQuery({ at: null }); close(); }}>{w.at.back}</button>}
    </div>
  );
}
