// The documentation of the API, generated from its OpenAPI document.

import "../../shared";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Prefix } from "../../api";
import { useResource } from "../../core/resource";
import { changed, param } from "../../core/router";
import { Button } from "../../design/button";
import { Card, GrayRows, Trouble, copy } from "../../design/panel";
import { curlOf, inner, nameOf, operationsOf, resolve, typeText } from "./openapi";
import type { Document, Operation, Parameter, Schema } from "./openapi";
import { words } from "./words";

// DocsPage is the page of the same name.
export function DocsPage() {
  const w = words.value;
  const resource = useResource<Document>("/openapi.json", { keep: true });
  const { data } = resource;
  return (
    <div class="docs">
      <div class="page-head"><h1>{w.title}</h1><span class="grow" /><Button icon="file" href={Prefix + "/openapi.json"}>{w.document}</Button></div>
      <div class="content">
        <p class="docs-about">{w.about}</p>
        {resource.problem === undefined ? null : <Trouble problem={resource.problem} again={resource.reload} />}
        {data === undefined ? (resource.problem === undefined ? <GrayRows /> : null) : <Operations document={data} />}
      </div>
    </div>
  );
}

function Operations({ document: d }: { document: Document }) {
  const w = words.value;
  const [text, set] = useState("");
  const all = operationsOf(d);
  const found = all.filter((o) => `${o.method} ${o.path} ${o.summary}`.toLowerCase().includes(text.trim().toLowerCase()));
  const chosen = all.find((o) => o.id === param("op")) ?? all[0];
  useEffect(() => window.document.getElementById("docs-operation")?.scrollTo(0, 0), [chosen?.id]);
  const groups = [...new Set(found.map((o) => o.group))];
  return (
    <div class="docs-columns">
      <nav class="docs-list" aria-label={w.operations}>
        <input class="field" type="search" value={text} placeholder={w.find} aria-label={w.find} onInput={(e) => set(e.currentTarget.value)} />
        {groups.length === 0 ? <p class="note docs-none">{w.none}</p> : null}
        {groups.map((group) => (
          <section key={group}>
            <h2 class="docs-group">{group}</h2>
            {found.filter((o) => o.group === group).map((o) => (
              <a key={o.id} class="docs-item" href={changed({ op: o.id })} aria-current={o.id === chosen?.id ? "page" : undefined}><Method method={o.method} /><span lang="en">{o.summary === "" ? o.path : o.summary}</span></a>
            ))}
          </section>
        ))}
      </nav>
      <div class="docs-operation stack" id="docs-operation">{chosen === undefined ? null : <Shown document={d} operation={chosen} />}</div>
    </div>
  );
}

function Method({ method }: { method: string }) {
  return <span class="docs-method">{method}</span>;
}

function Shown({ document: d, operation: o }: { document: Document; operation: Operation }) {
  const w = words.value;
  const curl = curlOf(o, location.origin);
  return (
    <>
      <div>
        <h2 class="docs-title" lang="en">{o.summary}</h2>
        <p class="docs-path"><Method method={o.method} /> <code>{o.path}</code></p>
        {o.description === "" ? null : <p class="docs-description" lang="en">{o.description}</p>}
        {o.method === "GET" ? null : <p class="note">{w.csrf}</p>}
      </div>
      {o.parameters.length === 0 ? null : <Card title={w.parameters}><Parameters parameters={o.parameters} /></Card>}
      {o.body === undefined ? null : <Card title={w.body} note={nameOf(o.body)}><Fields document={d} schema={o.body} above={[]} /></Card>}
      <Card title={w.answers}>
        {o.answers.map((a) => <Answered key={a.status + a.media} document={d} answer={a} />)}
      </Card>
      <Card title={w.curl} side={<Button icon="copy" onClick={() => copy(curl)}>{w.copy}</Button>}><pre class="docs-curl">{curl}</pre></Card>
    </>
  );
}

// Answered shows an answer. An answer without content has one line, and so has a problem with its
// own status: its fields are those of the last answer.
function Answered({ document: d, answer: a }: { document: Document; answer: Operation["answers"][number] }) {
  const w = words.value;
  if (Number(a.status) >= 400 || a.media === "") {
    return <div class="docs-answer"><p class="docs-status docs-short"><b>{a.status}</b> <span lang="en">{a.description}</span>{a.media === "" ? <span class="text-3">{w.empty}</span> : null}</p></div>;
  }
  return (
    <div class="docs-answer">
      <p class="docs-status"><b>{a.status === "default" ? w.otherwise : a.status}</b> {typeText(a.schema, w)} <span class="text-3">{a.media}</span></p>
      {inner(a.schema) === undefined ? null : <Fields document={d} schema={a.schema} above={[]} />}
    </div>
  );
}

function Parameters({ parameters }: { parameters: readonly Parameter[] }) {
  const w = words.value;
  const h = w.heads;
  return (
    <div class="docs-scroll">
      <table class="table docs-table">
        <caption class="hidden-text">{w.parameters}</caption>
        <thead><tr><th scope="col">{h.name}</th><th scope="col">{h.where}</th><th scope="col">{h.type}</th><th scope="col">{h.what}</th></tr></thead>
        <tbody>
          {parameters.map((p) => (
            <tr key={p.in + p.name}>
              <th scope="row"><code>{p.name}</code>{p.required === true ? <span class="note"> {w.required}</span> : null}</th>
              <td>{p.in}</td><td>{typeText(p.schema, w)}</td><td><span lang="en">{p.description ?? p.schema?.description}</span>{limits(p.schema) === "" ? null : <span class="text-3"> {limits(p.schema)}</span>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

// limits describes the valid values.
function limits(s: Schema | undefined): string {
  const w = words.value;
  const parts = [
    s?.enum === undefined ? "" : s.enum.map(String).join(", "),
    s?.minimum === undefined && s?.maximum === undefined ? "" : w.range(String(s?.minimum ?? "–"), String(s?.maximum ?? "–")),
    s?.default === undefined ? "" : w.default(JSON.stringify(s.default)),
  ];
  return parts.filter((t) => t !== "").join(", ");
}

// deepest is how many schemas are shown within each other.
const deepest = 6;

// Fields lists the fields of a schema. Fields of other schemas unfold; a schema within
// itself does not.
function Fields({ document: d, schema, above }: { document: Document; schema: Schema | undefined; above: readonly string[] }) {
  const w = words.value;
  const own = inner(schema) ?? schema;
  const name = nameOf(own);
  const s = resolve(d, own);
  const properties = Object.entries(s.properties ?? {});
  if (properties.length === 0) {
    return null;
  }
  const required = new Set(s.required ?? []);
  return (
    <ul class="docs-fields" aria-label={name === "" ? undefined : w.fields(name)}>
      {properties.map(([key, field]) => {
        const below = inner(field);
        const child = nameOf(below);
        const line = (
          <>
            <code>{key}</code> <span class="docs-type">{typeText(field, w)}</span>{required.has(key) ? null : <span class="text-3"> {w.optional}</span>}
            {field.description === undefined ? null : <span class="text-3" lang="en"> {field.description}</span>}{limits(field) === "" ? null : <span class="text-3"> {limits(field)}</span>}
          </>
        );
        const folds = below !== undefined && !above.includes(child) && child !== name && above.length < deepest;
        return <li key={key}>{folds ? <Folded line={line}>{() => <Fields document={d} schema={below} above={[...above, name]} />}</Folded> : <div class="docs-field">{line}</div>}</li>;
      })}
    </ul>
  );
}

// Folded renders its content when it is first opened.
function Folded({ line, children }: { line: ComponentChildren; children: () => ComponentChildren }) {
  const [open, set] = useState(false);
  return (
    <details onToggle={(e) => set(e.currentTarget.open)}>
      <summary class="docs-field">{line}</summary>
      {open ? children() : null}
    </details>
  );
}
