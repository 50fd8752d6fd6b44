// Formatting of GPU hours: small values as minutes.

import { number } from "../../core/format";
import { words } from "./words";

// gpuHours formats GPU hours: "1,284", "4.2", and below 0.1 as minutes: "3 min". top is the
// maximum of a column: if it is below an hour, the whole column is in minutes.
export function gpuHours(hours: number, top = hours < 0.1 ? 0 : 1): string {
  if (!(hours > 0)) {
    return "0";
  }
  if (hours >= 0.1 && top >= 1) {
    return number(hours, hours < 9.95 ? 1 : 0);
  }
  const minutes = hours * 60;
  return words.value.gpuMinutes(minutes < 0.1 ? "< 0.1" : top > 0 && minutes < 99.95 ? minutes.toFixed(1) : number(minutes, 1));
}
