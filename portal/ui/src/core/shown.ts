// The instant that the page shows: now, or the one of `?at=`.

import { computed } from "@preact/signals";
import type { ReadonlySignal } from "@preact/signals";
import { second, serverNow } from "./clock";
import { parseTime } from "./instant";
import { at } from "./router";

// shownNow is the server's time in milliseconds up to which open jobs have waited and run. It
// stands still with `?at=`.
export const shownNow: ReadonlySignal<number> = computed(() => (at.value === "" ? second.value : (parseTime(at.value) ?? serverNow())));
