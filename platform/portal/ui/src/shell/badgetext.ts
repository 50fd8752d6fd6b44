// The content of the live badge.

import { toServer } from "../core/clock";
import type { Unrecorded } from "../api";
import { clock, instant, short } from "../core/format";
import { parseTime } from "../core/instant";
import { liveAt } from "../core/live";
import type { LiveState } from "../core/live";
import { staleSince, unrecorded } from "../core/recording";
import { words } from "../words";

// Badge is the badge at a moment: its text, its style, and the action of a click.
export interface Badge {
  text: string;
  // lag is after the text, in a lighter color.
  lag: string;
  look: "" | "is-paused" | "is-off" | "is-stale" | "is-past";
  act: "pause" | "resume" | "now" | "";
}

// badgeOf returns the badge for a state of the stream. at is the instant that the page shows, or
// empty; now is the server's time; waiting counts the changes that a paused page holds back. parts
// are those of the page that are not current: a stream without delay does not make them live.
export function badgeOf(state: LiveState, at: string, now: number, waiting: number, parts: readonly Unrecorded[]): Badge {
  const w = words.value.live;
  if (at !== "") {
    const ms = instant(at) ?? parseTime(at);
    return { text: w.asOf(ms === undefined ? at : clock(ms, true)), lag: "", look: "is-past", act: "now" };
  }
  const s = liveAt(state, state.since + (now - toServer(state.since)));
  const stale = parts.filter((u) => u.behind !== true);
  if (s.state === "live" || s.state === "paused") {
    const since = staleSince(stale);
    if (stale.length > 0) {
      return { text: since === undefined ? w.never : w.stale(clock(since, true)), lag: "", look: "is-stale", act: "" };
    }
    const behind = staleSince(parts);
    if (behind !== undefined && s.state === "live") {
      return { text: w.behind(short(Math.max(0, (now - behind) / 1000))), lag: "", look: "is-off", act: "pause" };
    }
  }
  switch (s.state) {
    case "live":
      return { text: w.word, lag: short(s.lag), look: "", act: "pause" };
    case "paused":
      return { text: w.paused(waiting), lag: "", look: "is-paused", act: "resume" };
    case "connecting":
      return { text: w.connecting, lag: "", look: "is-off", act: "" };
    case "reconnecting":
      return { text: w.reconnecting(Math.max(0, Math.round((now - toServer(s.since)) / 1000))), lag: "", look: "is-off", act: "" };
    case "catching":
      return { text: w.catchingUp(s.behind), lag: "", look: "is-off", act: "" };
    case "stale":
      return { text: w.stale(clock(toServer(s.since), true)), lag: "", look: "is-stale", act: "" };
  }
}

// unrecordedLines returns a sentence for each cluster, or types of it, that nobody records.
export function unrecordedLines(): string[] {
  const w = words.value.live;
  const stale = unrecorded.value.filter((u) => u.behind !== true);
  return [...new Set(stale.map((u) => u.cluster))].map((cluster) => {
    const parts = stale.filter((u) => u.cluster === cluster);
    const types = parts.flatMap((u) => ((u.type ?? "") === "" ? [] : [u.type ?? ""]));
    const since = staleSince(parts);
    return since === undefined ? w.nobody : w.unrecorded(cluster, types.join(words.value.comma), clock(since));
  });
}
