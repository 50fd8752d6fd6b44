// Lines of a followed log: they arrive by server-sent events, and are passed on at most ten
// times a second.

import type { LogLine } from "../../api";

// perFlush is the minimum interval of calls, in milliseconds.
const perFlush = 100;

// mostWaiting limits the lines that wait for a call.
const mostWaiting = 20_000;

// Source is the used part of EventSource.
export interface Source {
  addEventListener(type: string, f: (e: MessageEvent<string>) => void): void;
  close(): void;
}

// LogStream follows a log until it is closed.
export class LogStream {
  private waiting: LogLine[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly source: Source;
  private readonly lines: (lines: LogLine[]) => void;

  // The constructor starts to read. ended is called when the server ends the log, with its
  // problem if there is one; broken when the connection is lost. The stream is then closed.
  constructor(source: Source, lines: (lines: LogLine[]) => void, ended: (problem: string) => void, broken: () => void) {
    this.source = source;
    this.lines = lines;
    source.addEventListener("line", (e) => this.take(e.data));
    for (const last of ["end", "problem"]) {
      source.addEventListener(last, (e) => {
        this.close();
        ended(last === "problem" ? e.data : "");
      });
    }
    source.addEventListener("error", () => {
      this.close();
      broken();
    });
  }

  // close ends the stream, and passes the last lines on.
  close(): void {
    this.source.close();
    clearTimeout(this.timer);
    this.timer = undefined;
    this.flush();
  }

  private take(data: string): void {
    const line = parsed(data);
    if (line === undefined) {
      return;
    }
    this.waiting.push(line);
    if (this.waiting.length >= mostWaiting) {
      clearTimeout(this.timer);
      this.timer = undefined;
      this.flush();
    } else if (this.timer === undefined) {
      this.timer = setTimeout(() => {
        this.timer = undefined;
        this.flush();
      }, perFlush);
    }
  }

  private flush(): void {
    if (this.waiting.length > 0) {
      const lines = this.waiting;
      this.waiting = [];
      this.lines(lines);
    }
  }
}

// parsed returns a line; undefined for an invalid one.
export function parsed(data: string): LogLine | undefined {
  try {
    const value: unknown = JSON.parse(data);
    if (typeof value === "object" && value !== null && typeof (value as { text?: unknown }).text === "string") {
      return value as LogLine;
    }
  } catch {
    // A line that is not JSON is ignored.
  }
  return undefined;
}
