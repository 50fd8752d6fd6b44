// The places of field values in the YAML, with which form and YAML follow each other.

import type { Parameter } from "../../api";
import { moved } from "../../design/linediff";
import { kindOf } from "./formmodel";
import { type Node, outline, scalar, unquoted } from "./yamloutline";

// Slot is a scalar that is, or contains, the value of a field.
export interface Slot {
  line: number; // from 0
  path: string;
  // The parts of the scalar before and after the value.
  before: string;
  after: string;
}

// Slots are the places of each field. A field without slots is not mirrored.
export type Slots = Record<string, Slot[]>;

// slotsOf finds the values of a form in the YAML from the server. Only a value that is a whole
// scalar, or occurs once in one, is mirrored; lists and maps are not.
export function slotsOf(parameters: Parameter[], texts: Record<string, string>, lines: string[], where: Record<string, number[]>): Slots {
  const nodes = new Map(outline(lines).map((node) => [node.line, node]));
  const slots: Slots = {};
  for (const p of parameters) {
    const kind = kindOf(p);
    const text = texts[p.name] ?? "";
    if (kind === "list" || kind === "map" || text === "") continue;
    const places = (where[p.name] ?? []).map((n) => slotIn(nodes.get(n - 1), text));
    const found = places.filter((slot): slot is Slot => slot !== undefined);
    if (found.length > 0 && found.length === places.length) slots[p.name] = found;
  }
  return slots;
}

function slotIn(node: Node | undefined, text: string): Slot | undefined {
  if (node === undefined || node.from === node.to) return undefined;
  const value = unquoted(node.value);
  const at = value.indexOf(text);
  if (at < 0 || value.indexOf(text, at + 1) >= 0) return undefined;
  return { line: node.line, path: node.path, before: value.slice(0, at), after: value.slice(at + text.length) };
}

// follow moves slots with an edit of the YAML. A slot whose line was removed is dropped with its
// field.
export function follow(slots: Slots, before: string[], after: string[]): Slots {
  const where = moved(before, after);
  const keys = new Map(outline(after).map((node) => [node.line, node]));
  const result: Slots = {};
  for (const [name, list] of Object.entries(slots)) {
    const places: Slot[] = [];
    for (const slot of list) {
      const line = where[slot.line] ?? -1;
      const node = keys.get(line);
      if (node !== undefined && last(node.path) === last(slot.path)) places.push({ ...slot, line, path: node.path });
    }
    if (places.length === list.length) result[name] = places;
  }
  return result;
}

function last(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("."), path.lastIndexOf("[")) + 1);
}

// read returns the value of a field in the YAML; undefined if its places do not agree.
export function read(slots: Slot[], lines: string[]): string | undefined {
  const nodes = new Map(outline(lines).map((node) => [node.line, node]));
  let value: string | undefined;
  for (const slot of slots) {
    const node = nodes.get(slot.line);
    if (node === undefined) return undefined;
    const text = unquoted(node.value);
    if (!text.startsWith(slot.before) || !text.endsWith(slot.after) || text.length < slot.before.length + slot.after.length) return undefined;
    const inner = text.slice(slot.before.length, text.length - slot.after.length);
    if (value !== undefined && value !== inner) return undefined;
    value = inner;
  }
  return value;
}

// write puts a value into its places. Plain values (numbers, true and false) are never quoted.
export function write(slots: Slot[], lines: string[], value: string, plain: boolean): string[] {
  const nodes = new Map(outline(lines).map((node) => [node.line, node]));
  const result = [...lines];
  for (const slot of slots) {
    const node = nodes.get(slot.line);
    const line = lines[slot.line];
    if (node === undefined || line === undefined) continue;
    const whole = slot.before === "" && slot.after === "";
    const text = scalar(slot.before + value + slot.after, plain && whole && !/^["']/.test(node.value));
    result[slot.line] = `${line.slice(0, node.from)}${node.from === line.length && !line.endsWith(" ") ? " " : ""}${text}${line.slice(node.to)}`;
  }
  return result;
}
