// The end of a mute that lasts until the next morning.

// tomorrow returns 9 o'clock of the next local day.
export function tomorrow(now: number): number {
  const day = new Date(now);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1, 9).getTime();
}
