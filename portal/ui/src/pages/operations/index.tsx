import { words } from "./words";

// OperationsPage is the page of the same name.
export function OperationsPage() {
  return <div class="page-head"><h1>{words.value.title}</h1></div>;
}
