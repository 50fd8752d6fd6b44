// Buttons and pills. A page has at most one primary button, the navigation included.

import type { ComponentChildren } from "preact";
import { stateWord } from "../words";
import { Icon } from "./icon";
import type { IconName } from "./icon";
import { StateIcon } from "./stateicon";

// ButtonProps describe a button. With href it is a link.
export interface ButtonProps {
  icon?: IconName;
  // menu shows an arrow down on the right.
  menu?: boolean;
  primary?: boolean;
  // plain has no border; quiet is plain with the second text color.
  plain?: boolean;
  // label names the button for screen readers and in a tip; required without text.
  label?: string;
  href?: string;
  disabled?: boolean;
  pressed?: boolean;
  expanded?: boolean;
  class?: string;
  id?: string;
  type?: "button" | "submit";
  onClick?: (e: MouseEvent) => void;
  children?: ComponentChildren;
}

// Button shows a button, or a link that looks like one.
export function Button(p: ButtonProps) {
  const bare = p.children === undefined;
  const look = ["button", p.primary ? "primary" : "", p.plain ? "plain" : "", bare ? "bare" : "", p.class ?? ""].filter((c) => c !== "").join(" ");
  const inner = (
    <>
      {p.icon ? <Icon name={p.icon} size={bare ? 16 : 14} /> : null}
      {bare ? null : <span class="button-text">{p.children}</span>}
      {p.menu ? <Icon name="down" size={14} /> : null}
    </>
  );
  if (p.href !== undefined && !p.disabled) {
    return <a class={look} id={p.id} href={p.href} aria-label={p.label} data-tip={bare ? p.label : undefined} onClick={p.onClick}>{inner}</a>;
  }
  return (
    <button class={look} id={p.id} type={p.type ?? "button"} disabled={p.disabled} aria-label={p.label} data-tip={bare ? p.label : undefined} aria-pressed={p.pressed} aria-expanded={p.expanded}
      aria-haspopup={p.menu ? "menu" : undefined} onClick={p.onClick}>{inner}</button>
  );
}

// StatePill shows a state as icon and word on a gray ground: in heads of jobs.
export function StatePill({ state }: { state: string }) {
  return <span class="state-pill"><StateIcon state={state} />{stateWord(state)}</span>;
}

// StateCell shows a state in a table: icon and word.
export function StateCell({ state, word }: { state: string; word?: string }) {
  return <span class="state-cell"><StateIcon state={state} /><span>{word ?? stateWord(state)}</span></span>;
}
