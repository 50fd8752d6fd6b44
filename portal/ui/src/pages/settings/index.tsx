import { words } from "./words";

// SettingsPage is the page of the same name.
export function SettingsPage() {
  return <div class="page-head"><h1>{words.value.title}</h1></div>;
}
