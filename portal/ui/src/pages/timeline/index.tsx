import { words } from "./words";

// TimelinePage is the page of the same name.
export function TimelinePage() {
  return <div class="page-head"><h1>{words.value.title}</h1></div>;
}
