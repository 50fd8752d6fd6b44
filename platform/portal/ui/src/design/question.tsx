// A question before an act. Reading never needs one.

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { words } from "../words";
import { Button } from "./button";

// QuestionProps describe the question.
export interface QuestionProps {
  title: string;
  // act is the word on the button that acts.
  act: string;
  // keep is the label of the other button.
  keep?: string;
  disabled?: boolean;
  busy?: boolean;
  onAct: () => void;
  onClose: () => void;
  children?: ComponentChildren;
}

// Question shows a question over the page. Escape and the second button close it. The focus goes
// to the first field, or to the button that does not act.
export function Question(p: QuestionProps) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = box.current;
    if (!dialog) {
      return;
    }
    const before = document.activeElement;
    dialog.showModal();
    (dialog.querySelector<HTMLElement>("input, select, textarea") ?? dialog.querySelector<HTMLElement>(".question-keep"))?.focus();
    return () => {
      dialog.close();
      if (before instanceof HTMLElement && before.isConnected) {
        before.focus();
      }
    };
  }, []);
  return (
    <dialog class="question float" ref={box} aria-label={p.title} onCancel={(e) => { e.preventDefault(); p.onClose(); }}>
      <form method="dialog" onSubmit={(e) => { e.preventDefault(); if (!p.disabled && !p.busy) { p.onAct(); } }}>
        <h2 class="question-title">{p.title}</h2>
        <div class="question-body">{p.children}</div>
        <footer class="question-foot">
          <Button class="question-keep" onClick={p.onClose}>{p.keep ?? words.value.action.cancel}</Button>
          <Button primary type="submit" disabled={p.disabled === true || p.busy === true}>{p.act}</Button>
        </footer>
      </form>
    </dialog>
  );
}
