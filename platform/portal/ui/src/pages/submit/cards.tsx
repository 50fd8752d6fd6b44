// The cards of templates, and the banner of a clone.

import type { JobDetail, Template } from "../../api";
import { isFinal } from "../../core/state";
import { Icon } from "../../design/icon";
import { Name } from "../../design/text";
import { stateWord } from "../../words";
import { w } from "./words";

// Cards show the templates to choose from, and YAML.
export function Cards(p: { templates: readonly Template[]; chosen: string; onTemplate: (t: Template) => void; onYAML: () => void }) {
  const words = w.value;
  return (
    <div class="submit-cards" role="group" aria-label={words.templates}>
      {p.templates.map((t) => (
        <button type="button" class="submit-card" aria-pressed={p.chosen === t.name} onClick={() => p.onTemplate(t)} key={t.name}>
          <b>{t.title || t.name}</b><span><Name text={t.type} tail={10} /></span>
        </button>
      ))}
      <button type="button" class="submit-card" aria-pressed={p.chosen === ""} onClick={p.onYAML}><b>{words.yamlCard}</b><span>{words.yamlCardText}</span></button>
    </div>
  );
}

// CloneBanner shows the cloned job, its end, and the number of lines that differ from it.
export function CloneBanner({ clone, changed }: { clone: JobDetail; changed: number }) {
  const words = w.value;
  const { job } = clone;
  const [before, name, behind] = words.clone(job.name);
  const ended = isFinal(job.state) && job.state !== "Deleted";
  return (
    <p class="submit-clone">
      <Icon name="copy" size={14} />
      <span class="grow">{before}<b>{name}</b>{behind}{ended ? words.cloneEnd(stateWord(job.state), job.state === "Failed" ? (job.detail.word ?? job.reason ?? "") : "") : ""}</span>
      <span class="text-2">{words.changed(changed)}</span>
    </p>
  );
}
