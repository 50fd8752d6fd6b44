// The client of the API: problems, ETags, the CSRF token, and canceled requests.

import { Prefix } from "../api";
import type { Problem } from "../api";
import { language } from "../words/language";

// Failed is the error of a request. Its problem always has a type and a title.
export class Failed extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail ?? problem.title);
    this.problem = problem;
  }
}

// ProblemNetwork is the type of the problem of a server that did not answer.
export const ProblemNetwork = "urn:vedette:problem:network";

// Params are parameters of a request. Empty ones are left out.
export type Params = URLSearchParams | Record<string, string | number | boolean | undefined>;

interface Kept {
  etag: string;
  value: unknown;
}

// answers are the last answers that had an ETag, oldest first, at most maxAnswers.
const answers = new Map<string, Kept>();
const maxAnswers = 100;

let csrf = "";

// setCSRF keeps the token that every write has.
export function setCSRF(token: string): void {
  csrf = token;
}

// url returns the address of a path of the API with parameters.
export function url(path: string, params: Params = {}): string {
  const all = new URLSearchParams();
  const entries = params instanceof URLSearchParams ? params.entries() : Object.entries(params);
  for (const [key, value] of entries) {
    if (value !== undefined && value !== "" && value !== false) {
      all.append(key, String(value));
    }
  }
  const text = all.toString();
  return Prefix + path + (text === "" ? "" : "?" + text);
}

// fill replaces the names in braces of a path of the API.
export function fill(path: string, values: Record<string, string | number>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name] ?? "")));
}

// get reads from the API. An unchanged answer comes from memory.
export async function get<T>(path: string, params: Params = {}, signal?: AbortSignal): Promise<T> {
  const address = url(path, params);
  const old = answers.get(address);
  const headers: Record<string, string> = { Accept: "application/json", "Accept-Language": language.peek() };
  if (old) {
    headers["If-None-Match"] = old.etag;
  }
  const response = await request(address, { headers, signal: signal ?? null });
  if (response.status === 304 && old) {
    answers.delete(address);
    answers.set(address, old);
    return old.value as T;
  }
  const value = (await response.json()) as T;
  const etag = response.headers.get("ETag");
  if (etag) {
    answers.delete(address);
    answers.set(address, { etag, value });
    for (const first of answers.keys()) {
      if (answers.size <= maxAnswers) {
        break;
      }
      answers.delete(first);
    }
  }
  return value;
}

// write sends a request that changes something, with a JSON body.
export async function write<T>(method: "POST" | "DELETE", path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const headers: Record<string, string> = {
    Accept: "application/json", "Accept-Language": language.peek(), "X-Vedette-CSRF": csrf,
  };
  const init: RequestInit = { method, headers, signal: signal ?? null };
  if (body !== undefined) {
    headers["Content-Type"] = "application/json";
    init.body = JSON.stringify(body);
  }
  const response = await request(url(path), init);
  if (response.status === 204) {
    return {} as T;
  }
  return (await response.json()) as T;
}

async function request(address: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(address, { ...init, credentials: "same-origin", redirect: "error" });
  } catch (e) {
    if (e instanceof DOMException && e.name === "AbortError") {
      throw e;
    }
    throw new Failed({ type: ProblemNetwork, title: "No answer", status: 0 });
  }
  if (response.ok || response.status === 304) {
    return response;
  }
  throw new Failed(await problemOf(response));
}

// problemOf reads the problem of a response. A proxy in between may answer without one.
async function problemOf(response: Response): Promise<Problem> {
  try {
    const problem = (await response.json()) as Partial<Problem>;
    if (typeof problem.type === "string" && typeof problem.title === "string") {
      return { ...problem, type: problem.type, title: problem.title, status: response.status };
    }
  } catch {
    // Not JSON: only the status is known.
  }
  return { type: "about:blank", title: `${response.status} ${response.statusText}`.trim(), status: response.status };
}

// problem returns the problem of any error.
export function problem(e: unknown): Problem {
  if (e instanceof Failed) {
    return e.problem;
  }
  return { type: "about:blank", title: e instanceof Error ? e.message : String(e), status: 0 };
}

// said returns the text of a failure for a person: the failure, and each mistake of the
// request.
export function said(e: unknown): string {
  const p = problem(e);
  const text = p.detail ?? p.title;
  const mistakes = (p.fields ?? []).map((f) => f.message).filter((m) => m !== "" && !text.includes(m));
  return mistakes.length === 0 ? text : `${text.replace(/[.。]$/, "")}: ${mistakes.join("; ")}`;
}

// aborted reports whether an error means that the page ended its request.
export function aborted(e: unknown): boolean {
  return e instanceof DOMException && e.name === "AbortError";
}
