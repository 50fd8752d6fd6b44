// English words of the page that submits jobs. words.zh.ts has the same keys.

import { number } from "../../core/format";
import { n, ordinal } from "../../words/en";
import type { Mistake } from "./formmodel";

export const en = {
  title: "Submit a job",
  kept: (t: string) => `Draft kept in this browser, ${t}`,
  keptWithout: (t: string) => `Draft kept without secrets, ${t}`,
  discard: "Start over",
  openFile: "Open YAML file",
  templates: "Templates",
  yamlCard: "YAML",
  yamlCardText: "Any type the clusters know",
  clone: (name: string) => ["Clone of ", name, ""],
  cloneEnd: (state: string, reason: string) => `, which ${state === "Aborted" ? "was aborted" : state.toLowerCase()}${reason === "" ? "" : `: ${reason}`}`,
  changed: (i: number) => `${n(i, "line")} changed`,
  cluster: "Cluster",
  namespace: "Namespace",
  fields: {
    name: "Name", namespace: "Namespace", queue: "Queue", priority: "Priority", replicas: "Pods", gpus: "GPUs per pod", memoryRequested: "Memory request", memoryLimit: "Memory limit", image: "Image", retries: "Retries", deadline: "Stop after",
    command: "Command", env: "Environment", prefix: "Prefix", directory: "Working directory", gpuResource: "GPU resource", cpus: "CPUs", memory: "Memory", sharedMemory: "Shared memory", nodes: "Nodes", ttl: "Delete after", serviceAccount: "Service account", nodeSelector: "Node selector", labels: "Labels", workers: "Workers", parallelism: "Parallel pods", completions: "Completions",
  } as Record<string, string>,
  groups: { Job: "Job", Container: "Container", Resources: "Resources", Limits: "Limits", Placement: "Placement" } as Record<string, string>,
  units: { seconds: "seconds" } as Record<string, string>,
  inAll: (i: number) => `${number(i)} in all`,
  quotaLeft: (left: string, total: string, line: number) => `${left} of ${total} GPUs left, ${number(line)} in line`,
  listHelp: "Words are separated by spaces; quotes keep them together.",
  mapHelp: "name=value, separated by spaces.",
  stop: ".",
  needed1: "required",
  // helps translates the texts of templates about their fields.
  helps: {} as Record<string, string>,
  noDefault: "none",
  inYAML: (i: number) => (i === 1 ? "1 other field is set in the YAML." : `${number(i)} other fields are set in the YAML.`),
  mistake: (m: Mistake): string => {
    switch (m.code) {
      case "required": return "Required";
      case "integer": return "Not a whole number";
      case "number": return "Not a number";
      case "quantity": return "Not a quantity such as 500m or 16Gi";
      case "duration": return "Not a duration such as 90s or 1h30m";
      case "choice": return `One of ${m.detail ?? ""}`;
      case "pattern": return `Does not match ${m.detail ?? ""}`;
      case "pair": return `${m.detail ?? ""} has no value: write name=value`;
      case "quote": return "A quote is not closed";
      case "least": return `At least ${m.detail ?? ""}`;
      case "most": return `At most ${m.detail ?? ""}`;
      case "shortest": return `At least ${m.detail ?? ""} characters`;
      case "longest": return `At most ${m.detail ?? ""} characters`;
      case "fewest": return `At least ${m.detail ?? ""} items`;
      case "mostItems": return `At most ${m.detail ?? ""} items`;
    }
  },
  notify: "Tell me when it starts, fails or ends",
  holdIt: "Hold it until I release it",
  yaml: "YAML",
  yamlGreen: "green: changed from the clone",
  yamlForm: "made from the form",
  yamlOwn: "edited here; known fields stay mirrored",
  editHere: "Edit here",
  backToForm: "Back to the form",
  copyYAML: "Copy YAML",
  editor: "YAML of the job",
  emptyForm: "The YAML appears once the required fields are filled in.",
  empty: "Choose a template, or write YAML.",
  accept: (cluster: string) => `${cluster} would accept it`,
  refuse: (cluster: string, i: number) => `${cluster} would refuse it: ${n(i, "problem")}`,
  checking: "Dry run",
  checked: (t: string) => `dry run, ${t} ago`,
  line: (i: number) => `Line ${i}: `,
  goTo: (i: number) => `Go to line ${i}`,
  set: (field: string, value: string) => `Set ${field} to ${value}`,
  warnings: "The server warns",
  forecast: "Forecast",
  place: "Place in line",
  placeOf: (place: number, length: number) => `${ordinal(place)} of ${number(length)}`,
  before: (text: string, jobs: number) => `${text} in ${n(jobs, "job")} before it`,
  hold: "Would hold",
  onPods: (i: number) => n(i, "pod"),
  like: "Jobs like it ran",
  median: (i: number) => `median of ${number(i)}`,
  likely: "Likely to start",
  about: (t: string) => `about ${t}`,
  range: (a: string, b: string) => `${a} to ${b}`,
  needed: (fields: string) => `Required: ${fields}`,
  wrongFields: (fields: string) => `To correct: ${fields}`,
  unknown: "unknown",
  sent: (cluster: string, person: string) => (person === "" ? `Sent to ${cluster}.` : `Sent to ${cluster} in your name, ${person}.`),
  keptAs: "What you send is kept as revision 1.",
  cancel: "Cancel",
  submit: "Submit",
  submitting: "Submitting",
  submitted: (name: string) => `Submitted ${name}.`,
  already: (name: string) => `${name} was submitted before.`,
  mayNot: "This portal cannot write to a cluster. Use the command line, or ask its operators.",
  wrongFile: "The file is larger than 1 MB, or is not text.",
  keys: { submit: "Submit" },
};

export type SubmitWords = typeof en;
