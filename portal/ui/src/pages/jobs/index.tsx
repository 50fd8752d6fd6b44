import { words } from "../../words";

// JobsPage is the list of jobs.
export function JobsPage() {
  return <div class="page-head"><h1>{words.value.nav.jobs}</h1></div>;
}
