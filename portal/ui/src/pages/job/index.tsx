import { words } from "./words";

// JobPage is the page of the same name.
export function JobPage() {
  return <div class="page-head"><h1>{words.value.title}</h1></div>;
}
