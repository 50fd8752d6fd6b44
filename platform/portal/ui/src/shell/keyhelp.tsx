// The list of all keys.

import { useEffect, useRef } from "preact/hooks";
import { bindings, helpShown, useKeys } from "../core/keys";
import { Button } from "../design/button";
import { words } from "../words";

// KeyHelp shows the keys of this page.
export function KeyHelp() {
  const w = words.value;
  const box = useRef<HTMLDivElement>(null);
  const close = () => { helpShown.value = false; };
  const list = bindings().filter((b) => b.what !== "");
  useKeys([{ key: "Escape", what: "", typing: true, run: close }]);
  useEffect(() => {
    const before = document.activeElement;
    box.current?.focus();
    return () => { if (before instanceof HTMLElement) before.focus(); };
  }, []);
  return (
    <>
      <div class="veil" onClick={close} />
      <div class="dialog float" role="dialog" aria-modal="true" aria-label={w.keys.title} tabIndex={-1} ref={box}>
        <div class="dialog-head"><h2 class="grow">{w.keys.title}</h2><span class="note">{w.keys.none}</span><Button icon="close" plain label={w.action.close} onClick={close} /></div>
        <div class="dialog-body"><ul class="key-list">{list.map((b) => <li><span>{b.what}</span>{b.key.split(" ").map((k) => <kbd>{keyName(k)}</kbd>)}</li>)}</ul></div>
      </div>
    </>
  );
}

const apple = /Mac|iP/.test(navigator.platform);

// keyName returns the label of a key.
export function keyName(key: string): string {
  return key.replace("Mod+k", apple ? "⌘K" : "Ctrl K").replace("Escape", "Esc");
}
