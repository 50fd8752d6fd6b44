// A button with a menu below it.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useKeys } from "../core/keys";
import { Button } from "./button";
import { Icon } from "./icon";
import type { IconName } from "./icon";

// Item is a line of a menu.
export interface Item {
  text: ComponentChildren;
  note?: string;
  icon?: IconName;
  // checked shows a mark: for the selected item, or for each active one.
  checked?: boolean;
  // stays keeps the menu open after a choice.
  stays?: boolean;
  href?: string;
  disabled?: boolean;
  // line draws a separator above.
  line?: boolean;
  run?: () => void;
}

// MenuProps describe the button and its menu.
export interface MenuProps {
  label: string;
  text?: ComponentChildren;
  icon?: IconName;
  items?: Item[];
  plain?: boolean;
  // arrow is false for a button without an arrow.
  arrow?: boolean;
  class?: string;
  // side is the edge of the button that the menu is aligned with.
  side?: "left" | "right";
  // button replaces the content of the button.
  button?: ComponentChildren;
  // children are below the items; close closes the menu.
  children?: (close: () => void) => ComponentChildren;
}

// Menu shows a button that opens a menu. Arrow keys move, Escape closes.
export function Menu(p: MenuProps) {
  const [open, set] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const close = () => {
    set(false);
    box.current?.querySelector<HTMLElement>("button")?.focus();
  };
  useKeys([{ key: "Escape", what: "", typing: true, run: close }], open);
  useEffect(() => {
    if (!open) {
      return;
    }
    const first = box.current?.querySelector<HTMLElement>(".menu input, .menu [role^=menuitem]");
    first?.focus();
    const outside = (e: Event) => {
      if (e.target instanceof Node && !box.current?.contains(e.target)) {
        set(false);
      }
    };
    document.addEventListener("pointerdown", outside);
    document.addEventListener("focusin", outside);
    return () => {
      document.removeEventListener("pointerdown", outside);
      document.removeEventListener("focusin", outside);
    };
  }, [open]);
  return (
    <div class={"menu-box " + (p.class ?? "")} ref={box}>
      {p.button !== undefined ? (
        <button class="menu-face" type="button" aria-label={p.label} aria-haspopup="menu" aria-expanded={open} data-tip={open ? undefined : p.label} onClick={() => set(!open)}>{p.button}</button>
      ) : (
        <Button icon={p.icon} menu={p.text !== undefined && p.arrow !== false} plain={p.plain} label={p.text === undefined ? p.label : undefined} expanded={open} onClick={() => set(!open)}>{p.text}</Button>
      )}
      {open ? (
        <div class={"menu float " + (p.side === "right" ? "at-right" : "")} role={p.items ? "menu" : "group"} aria-label={p.label} onKeyDown={move}>
          {p.items?.map((item) => <Line item={item} close={close} />)}
          {p.children?.(close)}
        </div>
      ) : null}
    </div>
  );
}

function Line({ item, close }: { item: Item; close: () => void }) {
  const inner = (
    <>
      {item.checked === undefined ? null : <span class="menu-check">{item.checked ? <Icon name="check" size={14} /> : null}</span>}
      {item.icon ? <Icon name={item.icon} size={14} /> : null}
      <span class="menu-text">{item.text}</span>
      {item.note ? <span class="menu-note">{item.note}</span> : null}
    </>
  );
  const look = "menu-item" + (item.line ? " with-line" : "");
  const run = () => {
    if (!item.stays) {
      close();
    }
    item.run?.();
  };
  if (item.href !== undefined) {
    return <a class={look} role="menuitem" href={item.href} onClick={run}>{inner}</a>;
  }
  const checkable = item.checked !== undefined;
  return <button class={look} type="button" role={checkable ? "menuitemcheckbox" : "menuitem"} aria-checked={checkable ? item.checked : undefined} disabled={item.disabled} onClick={run}>{inner}</button>;
}

// move moves the focus within a menu.
function move(e: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
  if (step === undefined || !(e.currentTarget instanceof HTMLElement)) {
    return;
  }
  e.preventDefault();
  const all = [...e.currentTarget.querySelectorAll<HTMLElement>("input, a, button:not(:disabled)")];
  const i = all.findIndex((x) => x === document.activeElement);
  all[(i + step + all.length) % all.length]?.focus();
}
