// The instant that the page shows: now, or the one of `?at=`.

import { computed } from "@preact/signals";
import type { ReadonlySignal } from "@preact/signals";
import { second, serverNow } from "./clock";
import { parseTime } from "./instant";
import { at } from "./router";

// shownNow is the end of the times of open jobs, in milliseconds of the server's clock. It
// does not change with `?at=`.
export const shownNow: ReadonlySignal<number> = computed(() => (at.value === "" ? second.value : (parseTime(at.value) ?? serverNow())));
