// The draft of a job in the browser's storage. Secrets are never stored.

import type { JobRef } from "../../api";
import { linesOf } from "../../design/yamltokens";
import { type Texts } from "./formmodel";
import { line, pairs } from "./shellwords";
import { outline } from "./yamloutline";

// Draft is the input of a person.
export interface Draft {
  version: 1;
  // The template; empty if the draft is YAML.
  template: string;
  texts: Texts;
  yaml: string;
  cluster: string;
  namespace: string;
  notify: boolean;
  hold?: boolean;
  // The key of the request: a draft that is sent twice creates one job.
  key: string;
  cloneOf?: JobRef;
  at: string;
  // Whether secrets were removed when the draft was stored.
  left?: boolean;
}

// Storage is the used part of the browser's storage.
export interface Storage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

// item is the key of a stored draft. A clone has its own draft.
function item(clone: string): string {
  return clone === "" ? "vedette.draft" : `vedette.draft.${clone}`;
}

// longest is the maximum number of characters of a stored draft.
const longest = 1_000_000;

// secretName matches names of secrets. "token" counts only as a separate word, so that
// "tokenizer" does not match.
const secretName = /pass(?:word|wd|phrase)|secret|credential|api[-_]?key|access[-_]?key|private[-_]?key|authorization|cookie|(?:^|[^A-Za-z])(?:token|pass|auth)s?(?![A-Za-z])/i;
const secretCamel = /[a-z](?:Token|Auth)s?(?![a-z])/;

function secretKey(name: string): boolean {
  return secretName.test(name) || secretCamel.test(name);
}

const secretValue = /-----BEGIN|^(?:gh[pousr]_|glpat-|sk-|xox[abp]-|AKIA|eyJ[\w-]+\.)/;
// Kubernetes names that only refer to a secret.
const refers = /^(?:secretName|secretRef|secretKeyRef|imagePullSecrets|automountServiceAccountToken|serviceAccountToken)$/;

// withoutSecrets returns a draft without values that look like secrets.
export function withoutSecrets(draft: Draft): Draft {
  const texts = Object.fromEntries(Object.entries(draft.texts).map(([name, text]) => [name, secretKey(name) || secretValue.test(text) ? "" : cleanWords(text)]));
  const yaml = cleanYAML(draft.yaml);
  const left = yaml !== draft.yaml || Object.entries(texts).some(([name, text]) => text !== draft.texts[name]);
  return { ...draft, texts, yaml, ...(left ? { left } : {}) };
}

// cleanWords empties the values of "KEY=value" words whose key names a secret.
function cleanWords(text: string): string {
  const list = pairs(text);
  if (!list.some(([key, value]) => value !== undefined && (secretKey(key) || secretValue.test(value)))) return text;
  return line(list.map(([key, value]) => (value === undefined ? key : `${key}=${secretKey(key) || secretValue.test(value) ? "" : value}`)));
}

// cleanYAML empties values whose key, or whose name in a list of variables, names a secret.
function cleanYAML(text: string): string {
  const lines = linesOf(text);
  const nodes = outline(lines);
  const secret = nodes.some((node) => node.path === "kind" && node.value === "Secret");
  const result: (string | undefined)[] = [...lines];
  let name = "";
  for (const node of nodes) {
    if (node.key === "name") name = node.value;
    const variable = node.key === "value" && secretKey(name);
    const data = secret && /^(?:data|stringData)[.[]/.test(node.path);
    const bare = node.from < node.to && !refers.test(node.key) && secretKey(node.key);
    const text = /^[|>]/.test(node.value) && lines.slice(node.line + 1, node.end).some((l) => secretWord.test(l));
    if (!(variable || data || bare || text || secretValue.test(node.value.replace(/^["']/, "")))) continue;
    result[node.line] = (lines[node.line] ?? "").slice(0, node.from) + '""';
    for (let i = node.line + 1; i < node.end; i++) result[i] = undefined;
  }
  const left = result.filter((l) => l !== undefined && !secretWord.test(l));
  if (left.length === lines.length && left.every((l, i) => l === lines[i])) return text;
  return `${left.join("\n")}\n`;
}

// secretWord finds secrets in lines without a key, such as arguments of a command.
const secretWord = /-----BEGIN [A-Z ]*PRIVATE KEY|--?(?:password|token|secret|api-?key)[= ]\S|\b(?:gh[pousr]_|glpat-|AKIA)\w{8}|\w*(?:PASSWORD|TOKEN|SECRET)=\S/i;

// store stores a draft. It returns false if the storage is full or forbidden, which is not an
// error of the page.
export function store(storage: Storage | undefined, draft: Draft): boolean {
  const text = JSON.stringify(withoutSecrets(draft));
  if (storage === undefined || text.length > longest) return false;
  try {
    storage.setItem(item(draft.cloneOf?.uid ?? ""), text);
    return true;
  } catch {
    return false;
  }
}

// load returns the stored draft; undefined if there is none or another version wrote it.
export function load(storage: Storage | undefined, clone: string): Draft | undefined {
  try {
    const text = storage?.getItem(item(clone)) ?? "";
    const draft: unknown = text === "" ? undefined : JSON.parse(text);
    return valid(draft) ? draft : undefined;
  } catch {
    return undefined;
  }
}

function valid(draft: unknown): draft is Draft {
  if (typeof draft !== "object" || draft === null) return false;
  const d = draft as Partial<Record<keyof Draft, unknown>>;
  const texts = d.texts;
  return (
    d.version === 1 && ["template", "yaml", "cluster", "namespace", "key", "at"].every((name) => typeof d[name as keyof Draft] === "string") &&
    typeof texts === "object" && texts !== null && Object.values(texts).every((text) => typeof text === "string")
  );
}

// drop removes a draft.
export function drop(storage: Storage | undefined, clone: string): void {
  try {
    storage?.removeItem(item(clone));
  } catch {
    // A storage that cannot be written has no draft.
  }
}
