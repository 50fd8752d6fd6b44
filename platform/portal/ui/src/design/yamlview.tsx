// YAML with line numbers, colors, folds and marks.

import { useMemo, useState } from "preact/hooks";
import type { LineRange } from "../api";
import { linesOf, tokens } from "./yamltokens";
import type { Token } from "./yamltokens";

// YamlProps describe the text.
export interface YamlProps {
  text: string;
  label: string;
  // folds are lines that are hidden until they are unfolded, with a text for their number.
  folds?: readonly LineRange[] | undefined;
  foldText?: (lines: number) => string;
  // changed are lines, from 1, with the mark of a change, and wrong are those with a problem.
  changed?: ReadonlySet<number>;
  wrong?: ReadonlySet<number>;
}

// YamlView shows read-only YAML.
export function YamlView(p: YamlProps) {
  const lines = useMemo(() => linesOf(p.text), [p.text]);
  const colored = useMemo(() => tokens(lines), [lines]);
  const [open, set] = useState<ReadonlySet<number>>(new Set());
  const rows = [];
  for (let i = 0; i < lines.length; i++) {
    const fold = p.folds?.find((f) => f.from === i + 1);
    if (fold && p.foldText && !open.has(fold.from)) {
      rows.push(<div class="yaml-fold" key={i}><button type="button" aria-expanded={false} onClick={() => set(new Set([...open, fold.from]))}>{p.foldText(fold.to - fold.from + 1)}</button></div>);
      i = Math.max(i, fold.to - 1);
      continue;
    }
    rows.push(<YamlLine n={i + 1} tokens={colored[i] ?? []} look={p.wrong?.has(i + 1) ? "is-wrong" : p.changed?.has(i + 1) ? "is-changed" : ""} key={i} />);
  }
  return <div class="yaml" role="region" aria-label={p.label} tabIndex={0}>{rows}</div>;
}

// YamlLine is one line with its number and its mark.
export function YamlLine({ n, tokens: list, look }: { n: number; tokens: Token[]; look: string }) {
  return (
    <div class={"yaml-line " + look} id={"line-" + n}>
      <span class="yaml-number" aria-hidden="true">{n}</span>
      <span class="yaml-sign" aria-hidden="true">{look === "" ? "" : "~"}</span>
      <code class="yaml-text">{list.map((t) => <span class={"yaml-" + t.kind}>{t.text}</span>)}</code>
    </div>
  );
}
