// The fields of YAML without a template: the fields that people change most, found by their
// path.

import type { Parameter } from "../../api";
import type { Slots } from "./mirror";
import { type Node, outline, unquoted } from "./yamloutline";

// Known is a field that is found in YAML.
interface Known {
  name: string; // a key of the page's words
  type: Parameter["type"];
  matches: RegExp;
  // Whether each part of the job has its own field, even if the values are the same.
  apart: boolean;
}

const pod = "(?:.*\\.)?(?:containers|initContainers)\\[\\d+\\]";

const known: Known[] = [
  { name: "name", type: "text", matches: /^metadata\.name$/, apart: false },
  { name: "namespace", type: "text", matches: /^metadata\.namespace$/, apart: false },
  { name: "queue", type: "text", matches: /^(?:metadata\.labels\[kueue\.x-k8s\.io\/queue-name\]|spec\.queue)$/, apart: false },
  { name: "priority", type: "text", matches: /priorityClassName$|metadata\.labels\[kueue\.x-k8s\.io\/priority-class\]$/, apart: false },
  { name: "replicas", type: "int", matches: /\.(?:replicas|parallelism|numNodes)$/, apart: true },
  { name: "gpus", type: "int", matches: new RegExp(`^${pod}\\.resources\\.limits\\[[^\\]]*gpu[^\\]]*\\]$`), apart: false },
  { name: "memoryRequested", type: "quantity", matches: new RegExp(`^${pod}\\.resources\\.requests\\.memory$`), apart: false },
  { name: "memoryLimit", type: "quantity", matches: new RegExp(`^${pod}\\.resources\\.limits\\.memory$`), apart: false },
  { name: "image", type: "text", matches: new RegExp(`^${pod}\\.image$`), apart: false },
  { name: "retries", type: "int", matches: /^spec\.(?:runPolicy\.)?backoffLimit$|^spec\.maxRetry$/, apart: false },
  { name: "deadline", type: "int", matches: /^spec\.(?:runPolicy\.)?activeDeadlineSeconds$/, apart: false },
];

// Found are the fields of a text with their places and values.
export interface Found {
  parameters: Parameter[];
  texts: Record<string, string>;
  slots: Slots;
}

// mostFields limits the form.
const mostFields = 24;

// fieldsOf finds the fields. Places with the same value share a field; different ones have
// their own fields, with the distinguishing part of the path as the title.
export function fieldsOf(lines: string[]): Found {
  const found: Found = { parameters: [], texts: {}, slots: {} };
  const nodes = outline(lines).filter((node) => node.from < node.to && !/^[|>[{&*]/.test(node.value));
  for (const k of known) {
    const places = nodes.filter((node) => k.matches.test(node.path));
    for (const [title, list] of partsOf(places, k.apart)) {
      if (found.parameters.length >= mostFields) return found;
      const name = title === "" ? k.name : `${k.name} ${title}`;
      found.parameters.push({ name, title, type: k.type });
      found.texts[name] = unquoted(list[0]?.value ?? "");
      found.slots[name] = list.map((node) => ({ line: node.line, path: node.path, before: "", after: "" }));
    }
  }
  return found;
}

// partsOf joins places into fields. The title is empty if there is only one field. Places of one
// part with different values have no field.
function partsOf(places: Node[], apart: boolean): Map<string, Node[]> {
  const valuesOf = (nodes: Node[]) => new Set(nodes.map((node) => unquoted(node.value))).size;
  if (places.length === 0) return new Map();
  if (places.length === 1 || (!apart && valuesOf(places) === 1)) return new Map([["", places]]);
  const result = new Map<string, Node[]>();
  for (const node of places) {
    const title = partOf(node.path);
    result.set(title, [...(result.get(title) ?? []), node]);
  }
  for (const [title, nodes] of result) {
    if (valuesOf(nodes) > 1) result.delete(title);
  }
  return result;
}

// partOf returns the part of a job in a path: "Worker", "workers[1]".
function partOf(path: string): string {
  const found = /(?:ReplicaSpecs|replicaSpecs)\.(\w+)|(workerGroupSpecs\[\d+\]|headGroupSpec)|((?:replicatedJobs|tasks|containers|initContainers)\[\d+\])/.exec(path);
  return found?.[1] ?? found?.[2] ?? found?.[3] ?? "";
}

// fieldOf returns the field with a path, for the problems of a server.
export function fieldOf(slots: Slots, path: string): string | undefined {
  const wanted = path.replace(/\["?([\w-]+[a-zA-Z_-][\w-]*)"?\]/g, ".$1").replace(/\["([^"]*)"\]/g, "[$1]");
  return Object.entries(slots).find(([, list]) => list.some((slot) => slot.path === path || slot.path === wanted))?.[0];
}
