// The SharedWorker: one stream for all tabs of a browser.

import { Stream } from "./core/stream";
import type { Follow, Message } from "./core/stream";

interface Shared {
  onconnect: ((e: MessageEvent) => void) | null;
}

const ports = new Set<MessagePort>();

const stream = new Stream((m: Message) => {
  for (const port of ports) {
    port.postMessage(m);
  }
});

(globalThis as unknown as Shared).onconnect = (e) => {
  const port = e.ports[0];
  if (!port) {
    return;
  }
  ports.add(port);
  port.onmessage = (ask: MessageEvent<Follow | { type: "bye" }>) => {
    if (ask.data.type === "bye") {
      ports.delete(port);
      return;
    }
    stream.follow(ask.data, (m) => port.postMessage(m));
  };
};
