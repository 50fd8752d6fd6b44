// The form that adds a subscription.

import { useState } from "preact/hooks";
import { PathSubscriptions } from "../../api";
import type { ChannelInfo, FieldProblem, Subscribe, Subscription } from "../../api";
import { problem, write } from "../../core/client";
import { clusters } from "../../core/session";
import { Button } from "../../design/button";
import { Check, Choice as List } from "../../design/field";
import { StateIcon } from "../../design/stateicon";
import { toast } from "../../design/toast";
import { stateWord } from "../../words";
import { words } from "./words";

// choices are the states that people usually subscribe to.
const choices = ["Running", "Succeeded", "Failed", "Aborted", "Suspended", "Restarting"] as const;

// Draft is the content of the form.
interface Draft {
  cluster: string;
  namespace: string;
  name: string;
  labels: string;
  channel: string;
  address: string;
  states: readonly string[];
}

const emptyDraft: Draft = { cluster: "", namespace: "", name: "", labels: "", channel: "", address: "", states: ["Succeeded", "Failed"] };

// AddForm asks for jobs, states and a channel.
export function AddForm({ channels, changed }: { channels: readonly ChannelInfo[]; changed: () => void }) {
  const w = words.value;
  const [draft, set] = useState<Draft>({ ...emptyDraft, channel: channels[0]?.name ?? "" });
  const [mistakes, setMistakes] = useState<readonly FieldProblem[]>([]);
  const [busy, setBusy] = useState(false);
  const channel = channels.find((c) => c.name === draft.channel);
  const addresses: Record<string, string> = w.addresses;
  const put = (part: Partial<Draft>): void => set((old) => ({ ...old, ...part }));
  const mistake = (field: string): string => mistakes.find((m) => m.field === field)?.message ?? "";
  const send = async (e: Event): Promise<void> => {
    e.preventDefault();
    setBusy(true);
    try {
      const made = await write<Subscription>("POST", PathSubscriptions, requestOf(draft, channel));
      const verified = made.verified !== undefined && made.verified !== "";
      toast(verified ? w.subscribed(made.channel) : w.verifyNext);
      set({ ...emptyDraft, channel: draft.channel });
      setMistakes([]);
      changed();
    } catch (error) {
      const p = problem(error);
      setMistakes(p.fields ?? []);
      toast(p.detail ?? p.title, { failure: true });
    } finally {
      setBusy(false);
    }
  };
  const toggle = (state: string): void => put({ states: draft.states.includes(state) ? draft.states.filter((x) => x !== state) : [...draft.states, state] });
  return (
    <form class="settings-form" onSubmit={(e) => void send(e)}>
      <div class="settings-grid">
        <Choice id="cluster" label={w.cluster} value={draft.cluster} options={[["", w.anyCluster], ...clusters.value.map((c): [string, string] => [c, c])]} put={(cluster) => put({ cluster })} />
        <Text id="namespace" label={w.namespace} help={w.namespaceHelp} value={draft.namespace} wrong={mistake("namespace")} put={(namespace) => put({ namespace })} />
        <Text id="name" label={w.name} help={w.nameHelp} value={draft.name} wrong={mistake("name")} put={(name) => put({ name })} />
        <Text id="labels" label={w.labelSelector} help={w.labelHelp} value={draft.labels} wrong={mistake("labels")} put={(labels) => put({ labels })} />
        <Choice id="channel" label={w.channel} value={draft.channel} options={channels.map((c): [string, string] => [c.name, c.name])} put={(name) => put({ channel: name, address: "" })} />
        {channel === undefined || (channel.address ?? "") === "" ? null : <Text id="address" label={w.address} help={addresses[channel.address ?? ""] ?? channel.address ?? ""} value={draft.address} wrong={mistake("address")} put={(address) => put({ address })} />}
      </div>
      <fieldset class="settings-states">
        <legend>{w.states} <span class="note">{w.statesHelp}</span></legend>
        {choices.map((state) => (
          <Check key={state} checked={draft.states.includes(state)} onChange={() => toggle(state)}><span class="settings-check"><StateIcon state={state} size={14} />{stateWord(state)}</span></Check>
        ))}
      </fieldset>
      <div><Button type="submit" icon="bell" disabled={busy || draft.channel === ""}>{w.subscribe}</Button></div>
    </form>
  );
}

function requestOf(d: Draft, channel: ChannelInfo | undefined): Subscribe {
  const text = (v: string): string | undefined => (v.trim() === "" ? undefined : v.trim());
  const request: Subscribe = { channel: d.channel };
  const all: Partial<Record<"cluster" | "namespace" | "name" | "labels" | "address", string | undefined>> = {
    cluster: text(d.cluster), namespace: text(d.namespace), name: text(d.name), labels: text(d.labels), address: (channel?.address ?? "") === "" ? undefined : text(d.address),
  };
  for (const [key, value] of Object.entries(all)) {
    if (value !== undefined) {
      Object.assign(request, { [key]: value });
    }
  }
  return d.states.length === 0 ? request : { ...request, states: [...d.states] };
}

function Text(p: { id: string; label: string; help: string; value: string; wrong: string; put: (v: string) => void }) {
  const id = "settings-" + p.id;
  return (
    <div class="settings-field">
      <label for={id}>{p.label}</label>
      <input class="field" id={id} value={p.value} maxLength={1000} autocomplete="off" spellcheck={false} placeholder={p.help} aria-invalid={p.wrong !== ""} aria-describedby={p.wrong === "" ? undefined : id + "-wrong"} onInput={(e) => p.put(e.currentTarget.value)} />
      {p.wrong === "" ? null : <span class="settings-wrong" id={id + "-wrong"}>{p.wrong}</span>}
    </div>
  );
}

// Choice is a list of few choices. Its values are names of clusters and channels.
export function Choice(p: { id: string; label: string; value: string; options: readonly (readonly [string, string])[]; put: (v: string) => void }) {
  const id = "settings-" + p.id;
  return (
    <div class="settings-field">
      <label for={id}>{p.label}</label>
      <div class="form-box"><List id={id} value={p.value} options={p.options.map(([value, text]) => ({ value, text }))} onChange={p.put} /></div>
    </div>
  );
}
