import { words } from "./words";

// StatsPage is the page of the same name.
export function StatsPage() {
  return <div class="page-head"><h1>{words.value.title}</h1></div>;
}
