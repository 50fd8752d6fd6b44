// English words of the page of a job. words.zh.ts has the same keys.

import { number } from "../../core/format";
import { n, ordinal } from "../../words/en";

export const en = {
  tabs: { label: "Parts of the job", overview: "Overview", attempts: "Attempts", pods: "Pods", events: "Events", yaml: "YAML", logs: "Logs", notifications: "Notifications" },
  revisions: (i: number) => n(i, "revision"),
  place: (i: string, of: string) => `${i} of ${of}`,
  previous: "Previous job of the list",
  next: "Next job of the list",
  facts: {
    kind: "Kind", queue: "Queue", owner: "Owner", gpus: "GPUs", submitted: "Submitted", waited: "Waited", waiting: "Waiting", ran: "Ran", running: "Running", priority: "Priority",
    pods: "Pods", uid: "UID", retryOf: "Retry of", retriedBy: "Retried by", stoppedBy: "Stopped by", controller: "Controlled by", node: "Node", copy: "Copy the UID", trace: "Trace", openTrace: "Open",
  },
  onNodes: (gpus: string, nodes: number) => `${gpus} on ${n(nodes, "node")}`,
  inAttempts: (time: string, tries: number) => `${time} in ${n(tries, "attempt")}`,
  deleted: (time: string) => `Deleted ${time}.`,
  deletedUntil: (time: string, until: string) => `Deleted ${time}. Its history stays until ${until}.`,
  unknownPresence: "The object cannot be seen now. What you see is its last known state.",
  strip: {
    label: "Life of the job", attempt: (i: number, time: string) => `Attempt ${i}, ${time}`, attemptShort: (i: number) => `Attempt ${i}`, submitted: (t: string) => `${t} submitted`, asOf: (t: string) => `as of ${t}`, now: (t: string) => `now, ${t}`, early: (t: string) => `one in ten by ${t}`,
    half: (t: string) => `half by ${t}`, late: (t: string) => `nine in ten by ${t}`, gap: (t: string) => `${t} not watched`, startedBare: (t: string) => `${t} started`, likely: (from: string, to: string) => `likely to start between ${from} and ${to}`,
  },
  waiting: {
    title: "Why it waits", from: (source: string, time: string) => `from ${source}, as of ${time}`, quota: "Quota", of: (used: string, total: string, unit: string) => `${used} of ${total} ${unit}`, gpusUnit: "GPUs", left: (left: string, needed: string) => `${left} left, ${needed} needed`,
    place: "Place in line", placeOf: (place: number, length: number) => `${ordinal(place)} of ${number(length)}`, was: (place: number) => `was ${ordinal(place)} an hour ago`, ahead: "Needed by those before it", jobs: (i: number) => n(i, "job"),
    likely: "Likely to start", about: (t: string) => `about ${t}`, range: (a: string, b: string) => `${a} to ${b}, from past waits, not from the line`, like: "Jobs like it waited", median: (i: number, days: number) => `median of ${number(i)} in ${n(days, "day")}`,
    notKnown: "unknown", notTested: "history does not support a range", quotaOf: (q: string) => `Quota of ${q}`, lineOf: (q: string) => `Line of ${q}`, all: (i: number) => `All ${number(i)}`, you: "you", others: "others",
    lineNote: "GPUs wanted, time waited.", special: (places: string[], priority: string) => (places.length === 1 ? `Place ${places[0]} has priority ${priority}.` : `Places ${places.slice(0, -1).join(", ")} and ${places[places.length - 1]} have priority ${priority}.`), hidden: (i: number) => `${n(i, "job")} that you may not see ${i === 1 ? "is" : "are"} left out.`, histogram: "How long jobs like it waited", days: (i: number) => n(i, "day"),
    now: (t: string) => `now, ${t}`, longer: (i: number, of: number) => `${number(i)} of ${number(of)} waited longer than this job has.`, nodes: "Nodes", nodesNote: "why none of them fits, in the scheduler's words", nodesOf: (i: number) => n(i, "node"), someNodes: "nodes", notKnownTitle: "What is not known",
    bar: (from: string, to: string, i: number) => `${from} to ${to}: ${n(i, "job")}`, held: (share: string, i: number) => `The range held for ${share} of ${n(i, "job")} of the history.`, reason: "Reason", said: "Said", count: "Nodes", owner: "Owner", place1: "Place", job: "Job", used: "Used", share: "Share", gpus: "GPUs", waited: "Waited",
  },
  failure: {
    title: "Why it failed", cause: "Cause", of: (i: number, all: number) => `${number(i)} of ${n(all, "attempt")}`, exit: "Exit code", limit: "Memory limit", larger: (limit: string) => `Clone with a limit of ${limit}`, largerNote: "Half as much again. How much it needs is not recorded.", like: "Jobs that ended this way", in: (i: number, days: number) => `${number(i)} in ${n(days, "day")}`,
    same: "same owner and type", node: "Node", unknown: "Not known:",
  },
  attempts: {
    title: "Attempts", note: "what differs from the one before is marked", list: "All attempts", job: "Job", thisJob: "this job", diff: "Full diff", all: (i: number) => `All ${number(i)}`, field: "Field", none: "No attempt has begun yet.", compare: "Compare", with: "with", differs: "differs from the attempt before",
    fields: { ended: "Ended", ran: "Ran", firstFailure: "First to fail", image: "Image", nodes: "Nodes", lastStep: "Last step", began: "Began", pods: "Pods", exitCode: "Exit code", node: "Node", memory: "Memory", gpus: "GPUs", command: "Command" } as Record<string, string>,
    same: "The two attempts ran from the same object.", one: "A diff needs two attempts.",
  },
  transitions: {
    title: "Transitions", note: (i: string) => `${i}, newest first`, state: "State", since: "Since", for: "For", reason: "Reason", version: "Version", source: "Source", all: "Show all", none: "No transition is recorded.",
    sources: { watched: "watch", listed: "list", relisted: "relist", inferred: "inferred", watch: "watch", list: "list", relist: "relist" } as Record<string, string>,
  },
  log: {
    title: "Last log lines", attempt: (pod: string, i: number) => `${pod}, attempt ${i}`, kept: (shown: number, all: number) => `Kept when the pod ended, ${number(shown)} of ${n(all, "line")}`, keptAt: (pod: string, t: string, i: number) => `${pod}: ${n(i, "line")} kept at ${t}`, missing: (i: number) => `${n(i, "line")} not kept`, missingUnknown: "an unknown number not kept", 
    allPods: "All pods", allAttempts: "All attempts", pod: "Pod", attemptLabel: "Attempt", search: "Search the log", hits: (i: number, of: string) => `${number(i)} of ${of}`, noHits: "no hits", nextHit: "Next hit", previousHit: "Previous hit", wrap: "Wrap", times: "Times", follow: "Follow", live: "Live, follows the end", liveOnly: "Live", ended: "The log has ended.", away: "The cluster did not return the log. These lines were kept when their pods ended.", older: "Show older lines",
    dropped: (i: number) => `${n(i, "older line")} left out, so that the page stays fast.`, cut: (i: number) => `${number(i)} bytes cut`, empty: "No lines. Pods that have not started write none, and no lines were kept.", region: "Log", broken: "The stream was cut. The page opens it again.", download: "Download what is shown", open: "All lines",
    shown: (i: number) => `${n(i, "line")} shown`,
  },
  deliveries: {
    title: "Notifications", rule: "Rule", channel: "Channel", answer: "Answer", tries: "Tries", receiver: "Receiver", state: "State", when: "When", message: "Message", again: "Send again", acknowledge: "Acknowledge", mute: "Mute", none: "No message was sent about this job.", noneHelp: "Subscribe to hear when it starts, fails or ends.", off: "This portal's database has no notifications.",
    next: (t: string) => `next try ${t}`, acked: (who: string, t: string) => `Acknowledged by ${who}, ${t}`, open: "All", 
    states: { waiting: "Waiting", held: "Held", sending: "Sending", sent: "Sent", dead: "Dead letter", dropped: "Dropped", superseded: "Superseded", silenced: "Silenced" } as Record<string, string>,
  },
  diff: {
    title: "Diff", of: (from: string, to: string) => `revision ${from} to ${to}`, differ: (i: number) => `${n(i, "line")} ${i === 1 ? "differs" : "differ"}`, none: "No line differs.", fold: (i: number) => `${n(i, "unchanged line")}`, foldBook: (i: number) => `${n(i, "line")} of bookkeeping`, cut: (i: number) => `${n(i, "further line")} ${i === 1 ? "is" : "are"} not shown: the difference is too large.`, left: "Before", right: "After", unified: "Unified", split: "Split", bookkeeping: "Bookkeeping", last: "Last change of the object",
    removed: "removed", added: "added", lineNumber: "Line", text: "Text", how: "How to show the diff",
  },
  yaml: {
    revision: (i: number, of: number) => `Revision ${number(i)} of ${number(of)}`, slider: "Revision", older: "Older revision", newer: "Newer revision", compare: "Compare with this one", end: "End the comparison", copy: "Copy YAML", fold: (i: number) => `${n(i, "line")} of bookkeeping`,
    none: "No revision is recorded.", stripped: "Retention has removed the body of this revision.", readOnly: "Read only", 
  },
  pods: { none: "No pod has been created.", notRecorded: "Pods are not recorded. Add pods to the targets of the recorder.", state: "State", name: "Name", attempt: "Attempt", node: "Node", restarts: "Restarts", exit: "Exit code", created: "Created", ran: "Existed", life: "Life", detail: "Detail", },
  events: { none: "No event is known about this job.", notRecorded: "Events are not recorded, and the cluster did not answer.", live: "from the API server, which keeps them for about an hour", type: "Type", reason: "Reason", object: "Object", message: "Message", count: "Count", first: "First", last: "Last", normal: "Normal", warning: "Warning" },
  ask: {
    stop: (name: string) => `Stop ${name}?`, stopText: "The job is stopped in your name. Its history stays.", holds: (i: number) => `${i < 0 ? "It may hold GPUs" : `It holds ${n(i, "GPU")}`}. Type its name to stop it.`, name: "Name of the job", why: "Reason", whyHelp: "It is written to the job and into messages.", keep: "Keep it", stopNow: "Stop job",
    retry: (name: string) => `Retry ${name}?`, retryText: "A copy of the job is submitted in your name.", retryNow: "Retry", mute: (name: string) => `Mute messages about ${name}?`, muteText: "You get no messages about this job.", until: "Until", untilEnd: "the job has ended", hour: "in 1 hour", tomorrow: "tomorrow at 09:00", muteNow: "Mute",
    acknowledge: (name: string) => `Acknowledge the failure of ${name}?`, acknowledgeText: "Others see that you know about it, and escalation ends.", acknowledgeNow: "Acknowledge", mayNot: "You may not do this to the job now. It may have ended, or you lack the right.", optional: "optional",
  },
  subscribe: { title: (name: string) => `Messages about ${name}`, button: "Subscribe", starts: "Tell me when it starts", channel: "Channel", address: "Address", states: "When it is", now: "Subscribe", none: "No channel is configured. Ask the operators of this portal.", verify: "A code was sent to the address. Enter it on the settings page.", done: "Subscribed.", },
  actions: { more: "More actions", release: "Release", retried: (name: string) => `Submitted again as ${name}.`, copyLink: "Copy link", copyName: "Copy name", timeline: "Show in timeline", like: "Jobs of this name", },
  keys: { retry: "Retry", logs: "Logs", yaml: "YAML", diff: "Diff", older: "Older revision", newer: "Newer revision", previous: "Previous job", next: "Next job", back: "Back to the list", search: "Search the log", follow: "Follow the log" },
  expected: "The job was submitted.",
  expectedHelp: "The page opens as soon as the recorder has seen it.",
  gone: "No such job", goneHelp: "Retention may have removed it, or you may not see its namespace.",
  changed: (state: string) => `The job is now ${state}.`,
  more: "Show more",
};

export type JobWords = typeof en;
