// Toasts show the result of an action. One is shown at a time, bottom left, for 6 s; failures
// stay.

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { words } from "../words";
import { Button } from "./button";
import { Icon } from "./icon";

interface Message {
  text: string;
  failure: boolean;
  undo?: (() => void) | undefined;
}

const shown = signal<Message | undefined>(undefined);
const lasts = 6000;

// toast shows a message. undo reverts the action.
export function toast(text: string, options: { failure?: boolean; undo?: () => void } = {}): void {
  shown.value = { text, failure: options.failure ?? false, undo: options.undo };
}

// Toasts is where messages appear.
export function Toasts() {
  const m = shown.value;
  useEffect(() => {
    if (!m || m.failure) {
      return;
    }
    const timer = setTimeout(() => {
      shown.value = undefined;
    }, lasts);
    return () => clearTimeout(timer);
  }, [m]);
  const close = () => {
    shown.value = undefined;
  };
  return (
    <div class="toasts" role="status" aria-live="polite">
      {m ? (
        <div class={"toast float" + (m.failure ? " is-failure" : "")}>
          <Icon name={m.failure ? "warning" : "check"} />
          <span class="grow">{m.text}</span>
          {m.undo ? <Button plain onClick={() => { m.undo?.(); close(); }}>{words.value.action.undo}</Button> : null}
          <Button icon="close" plain label={words.value.action.close} onClick={close} />
        </div>
      ) : null}
    </div>
  );
}
