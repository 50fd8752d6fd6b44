import { w } from "./words";

// SubmitPage is the page of the same name.
export function SubmitPage() {
  return <div class="page-head"><h1>{w.value.title}</h1></div>;
}
