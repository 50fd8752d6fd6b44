// The session: the person, their rights, and the description of the portal.

import { computed, signal } from "@preact/signals";
import type { ReadonlySignal } from "@preact/signals";
import { PathSession } from "../api";
import type { Problem, Session } from "../api";
import { get, problem, setCSRF, write } from "./client";
import { setServerTime } from "./clock";

const current = signal<Session | undefined>(undefined);
const failure = signal<Problem | undefined>(undefined);

// session is the session, once it is known.
export const session: ReadonlySignal<Session | undefined> = current;

// sessionProblem is the reason why the session is unknown.
export const sessionProblem: ReadonlySignal<Problem | undefined> = failure;

// clusters are the names of the clusters that the person may see.
export const clusters = computed(() => (current.value?.clusters ?? []).map((c) => c.name));

// loadSession reads the session.
export async function loadSession(): Promise<void> {
  try {
    const s = await get<Session>(PathSession);
    setCSRF(s.csrf);
    setServerTime(s.now);
    current.value = s;
    failure.value = undefined;
  } catch (e) {
    failure.value = problem(e);
  }
}

// signOut ends the session and loads the page again.
export async function signOut(): Promise<void> {
  await write("DELETE", PathSession);
  location.assign("/");
}

// initials returns one or two letters for a person's name.
export function initials(name: string): string {
  const parts = name.replace(/@.*/, "").split(/[\s._-]+/).filter((p) => p !== "");
  const first = [...(parts[0] ?? "")];
  const second = [...(parts[1] ?? "")];
  const letters = parts.length > 1 ? [first[0], second[0]] : first.slice(0, 2);
  return letters.join("").toUpperCase();
}
