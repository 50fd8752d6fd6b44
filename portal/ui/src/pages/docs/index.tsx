import { words } from "./words";

// DocsPage is the page of the same name.
export function DocsPage() {
  return <div class="page-head"><h1>{words.value.title}</h1></div>;
}
