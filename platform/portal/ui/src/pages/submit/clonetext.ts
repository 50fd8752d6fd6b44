// Prepares the YAML of a job for another submission.

import type { Body } from "../../api";
import { linesOf } from "../../design/yamltokens";
import { joined, type Node, outline, scalar, unquoted } from "./yamloutline";

// Fields that servers write, by their path.
const ofServers = new Set([
  "status",
  ...["uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "managedFields", "selfLink", "ownerReferences", "finalizers", "generateName"].map((key) => `metadata.${key}`),
]);

// Labels and annotations that controllers write.
const ofControllers = new Set([
  "controller-uid", "job-name", "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name", "batch.kubernetes.io/job-tracking",
  "batch.kubernetes.io/cronjob-scheduled-timestamp", "kueue.x-k8s.io/workload", "kueue.x-k8s.io/podset", "kueue.x-k8s.io/tas", "kueue.x-k8s.io/managed",
  "kueue.x-k8s.io/stopping", "kueue.x-k8s.io/prebuilt-workload-name", "kueue.x-k8s.io/multikueue-origin", "kubectl.kubernetes.io/last-applied-configuration",
]);

// vedettes is the prefix of the annotations of an earlier submission.
const vedettes = /^vedette\.io\/(?:request|submi|retry|cancel|attempt|stop)/;

// Clone are the lines of a job without the fields of servers and controllers: unchanged, and with
// a new name.
export interface Clone {
  base: string[];
  lines: string[];
}

// cloned prepares a job for another submission.
export function cloned(body: Body): Clone {
  const lines = linesOf(body.yaml);
  const gone = lines.map(() => false);
  for (const range of body.bookkeeping ?? []) gone.fill(true, Math.max(0, range.from - 1), range.to);
  const nodes = outline(lines);
  const kind = valueAt(nodes, "kind");
  const manual = valueAt(nodes, "spec.manualSelector") === "true";
  for (const node of nodes) {
    if (removed(node, kind, manual)) gone.fill(true, node.line, node.end);
  }
  emptied(nodes, gone);
  const left = lines.filter((_, i) => gone[i] !== true);
  return { base: left, lines: renamed(left) };
}

function removed(node: Node, kind: string, manual: boolean): boolean {
  if (ofServers.has(node.path)) return true;
  if (node.key === "creationTimestamp" && node.path.endsWith("metadata.creationTimestamp")) return true;
  if (ofControllers.has(node.key) || vedettes.test(node.key)) return /(?:^|\.)(?:labels|annotations|matchLabels)[.[]/.test(node.path);
  if (kind === "Job" && !manual && node.path === "spec.selector") return true;
  if (kind === "RayJob" && node.path === "spec.jobId") return true;
  return node.path === "spec.suspend" || node.path === "spec.runPolicy.suspend";
}

// emptied removes keys whose whole block was removed.
function emptied(nodes: Node[], gone: boolean[]): void {
  for (const node of [...nodes].reverse()) {
    if (gone[node.line] === true || node.from !== node.to || node.end - node.line < 2) continue;
    if (gone.slice(node.line + 1, node.end).every(Boolean)) gone[node.line] = true;
  }
}

function valueAt(nodes: Node[], path: string): string {
  return unquoted(nodes.find((node) => node.path === path)?.value ?? "");
}

// renamed gives the job a new name. Labels of its pods that repeat the name are not
// changed.
function renamed(lines: string[]): string[] {
  const node = outline(lines).find((n) => n.path === joined("metadata", "name"));
  if (node === undefined) return lines;
  const result = [...lines];
  const line = lines[node.line] ?? "";
  result[node.line] = line.slice(0, node.from) + scalar(nextName(unquoted(node.value)), false) + line.slice(node.to);
  return result;
}

// longest is the maximum length of the name of a job.
const longest = 63;

// nextName increments the number at the end of a name, or begins with 2.
export function nextName(name: string): string {
  const found = /^(.*?)(\d{1,9})$/s.exec(name);
  if (found !== null && (found[1] === "" || /[-.]$/.test(found[1] ?? "") || /(?:seed|run|v)$/.test(found[1] ?? ""))) {
    const digits = found[2] ?? "";
    return `${found[1]}${String(Number(digits) + 1).padStart(digits.length, "0")}`;
  }
  return `${name.slice(0, longest - 2).replace(/[-.]+$/, "")}-2`;
}
