// The YAML next to the form, to read and to edit.

import { useEffect, useMemo, useRef } from "preact/hooks";
import { Button } from "../../design/button";
import { copy } from "../../design/panel";
import { YamlLine, YamlView } from "../../design/yamlview";
import { counterparts } from "../../design/linediff";
import { linesOf, tokens } from "../../design/yamltokens";
import type { Submission } from "./submission";
import { w } from "./words";

// YamlPaneProps describe the pane.
export interface YamlPaneProps {
  s: Submission;
  editing: boolean;
  wrong: ReadonlySet<number>;
  onEdit: (on: boolean) => void;
  onText: (text: string) => void;
  children: preact.ComponentChildren;
}

// lineHeight is the height of a line, in pixels.
const lineHeight = 20;

// changedLines returns the lines, from 1, that a clone does not have.
export function changedLines(base: readonly string[], yaml: string): Set<number> {
  const changed = new Set<number>();
  if (base.length > 0) {
    counterparts([...base], linesOf(yaml)).forEach((from, i) => {
      if (from < 0) {
        changed.add(i + 1);
      }
    });
  }
  return changed;
}

// YamlPane shows the YAML, colored, and the first line with a problem. The editor is a field over
// the colored lines.
export function YamlPane(p: YamlPaneProps) {
  const words = w.value;
  const changed = useMemo(() => changedLines(p.s.base, p.s.yaml), [p.s.base, p.s.yaml]);
  const box = useRef<HTMLElement>(null);
  const firstWrong = p.wrong.size === 0 || p.editing ? 0 : Math.min(...p.wrong);
  useEffect(() => {
    const view = box.current?.querySelector(".yaml");
    if (view && firstWrong > 0) {
      view.scrollTop = (firstWrong - 1) * lineHeight - view.clientHeight / 2;
    }
  }, [firstWrong]);
  const note = p.s.base.length > 0 ? words.yamlGreen : p.s.mode === "form" ? words.yamlForm : words.yamlOwn;
  return (
    <section class="card submit-yaml" aria-label={words.yaml} ref={box}>
      <header class="card-head">
        <h2>{words.yaml}</h2><span class="card-note">{note}</span><span class="grow" />
        {p.editing && p.s.template !== "" ? <Button plain class="submit-edit" onClick={() => p.onEdit(false)}>{words.backToForm}</Button> : p.editing ? null : <Button plain class="submit-edit" onClick={() => p.onEdit(true)}>{words.editHere}</Button>}
        <Button icon="copy" plain label={words.copyYAML} onClick={() => copy(p.s.yaml)} />
      </header>
      {p.editing ? <Editor p={p} changed={changed} /> : p.s.yaml === "" ? <p class="submit-empty text-3">{p.s.mode === "form" ? words.emptyForm : words.empty}</p> : <YamlView text={p.s.yaml} label={words.editor} changed={changed} wrong={p.wrong} />}
      {p.children}
    </section>
  );
}

function Editor({ p, changed }: { p: YamlPaneProps; changed: ReadonlySet<number> }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const text = p.s.yaml;
  const lines = useMemo(() => text.split("\n"), [text]);
  const colored = useMemo(() => tokens(lines), [lines]);
  const onKey = (e: KeyboardEvent) => {
    const t = field.current;
    if (e.key !== "Enter" || e.ctrlKey || e.metaKey || e.isComposing || !t) {
      return;
    }
    e.preventDefault();
    const before = t.value.slice(0, t.selectionStart);
    const line = before.slice(before.lastIndexOf("\n") + 1);
    t.setRangeText("\n" + indentAfter(line), t.selectionStart, t.selectionEnd, "end");
    p.onText(t.value);
  };
  return (
    <div class="yaml yaml-editor">
      <div class="yaml-sheet">
        <div aria-hidden="true">{lines.map((_, i) => <YamlLine n={i + 1} tokens={colored[i] ?? []} look={p.wrong.has(i + 1) ? "is-wrong" : changed.has(i + 1) ? "is-changed" : ""} key={i} />)}</div>
        <textarea ref={field} value={text} aria-label={w.value.editor} spellcheck={false} autocomplete="off" autocapitalize="off" wrap="off" onKeyDown={onKey} onInput={(e) => p.onText(e.currentTarget.value)} />
      </div>
    </div>
  );
}

// indentAfter returns the indentation of the line after another one: deeper after a key without a
// value.
export function indentAfter(line: string): string {
  const lead = /^\s*(?:- )*/.exec(line)?.[0] ?? "";
  const indent = " ".repeat(lead.length);
  return /:\s*$/.test(line) && line.trim() !== ":" ? indent + "  " : indent;
}
