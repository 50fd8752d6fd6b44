// The subscriptions of the person: tested, muted, confirmed by a code, and removed.

import { useState } from "preact/hooks";
import { PathMuteMessages, PathSubscription, PathTestMessage, PathVerify } from "../../api";
import type { Act, Subscription } from "../../api";
import { fill, said, write } from "../../core/client";
import { serverNow } from "../../core/clock";
import { instant, time } from "../../core/format";
import { Button } from "../../design/button";
import { Menu } from "../../design/menu";
import { StateIcon } from "../../design/stateicon";
import { toast } from "../../design/toast";
import { stateWord, words as shared } from "../../words";
import { words } from "./words";

// hours are the choices of the menu that mutes.
const hours = ["1", "8", "24", "168"] as const;

// whatOf describes the jobs of a subscription.
export function whatOf(s: Subscription): string {
  const w = words.value;
  const parts = [s.cluster ?? "", s.namespace ?? "", s.name ?? ""].filter((t) => t !== "");
  const place = parts.join(" / ");
  const more = [
    s.uid !== undefined && s.uid !== "" && (s.name ?? "") === "" ? w.job(s.uid.slice(0, 8)) : "",
    s.type ?? "",
    s.labels !== undefined && s.labels !== "" ? w.labels(s.labels) : "",
  ].filter((t) => t !== "");
  const all = [place, ...more].filter((t) => t !== "");
  return all.length === 0 ? w.all : all.join(", ");
}

// act sends a write and shows the result. It reports whether it succeeded.
export async function act(method: "POST" | "DELETE", path: string, body: unknown, changed: () => void): Promise<boolean> {
  try {
    const done = await write<Act>(method, path, body);
    if (done.done !== undefined && done.done !== "") {
      toast(done.done);
    }
    changed();
    return true;
  } catch (e) {
    toast(said(e), { failure: true });
    return false;
  }
}

// SubscriptionRow shows one subscription with its actions.
export function SubscriptionRow({ subscription: s, changed }: { subscription: Subscription; changed: () => void }) {
  const w = words.value;
  const [sure, setSure] = useState(false);
  const what = whatOf(s);
  const path = (p: string): string => fill(p, { id: s.id });
  const muted = instant(s.mutedUntil);
  const isMuted = muted !== undefined && muted > serverNow();
  const verified = instant(s.verified) !== undefined;
  const mute = (until: number): void => void act("POST", path(PathMuteMessages), { until: new Date(until).toISOString() }, changed);
  return (
    <li class="settings-row">
      <div class="settings-what">
        <div class="settings-name">{what}</div>
        <div class="note">{[(s.states ?? []).length === 0 ? w.allStates : (s.states ?? []).map(stateWord).join(shared.value.list), s.channel + ((s.address ?? "") === "" ? "" : ` ${s.address}`)].join(" · ")}</div>
        {verified ? null : <Confirm id={s.id} changed={changed} />}
      </div>
      <span class="state-cell"><StateIcon state={!verified ? "Queued" : isMuted ? "Suspended" : "Succeeded"} size={14} />{!verified ? w.unverified : isMuted ? w.muted(time(muted)) : w.active}</span>
      <div class="settings-acts">
        <Button disabled={!verified} label={w.testOf(what)} onClick={() => void act("POST", path(PathTestMessage), undefined, changed)}>{w.test}</Button>
        {isMuted ? <Button onClick={() => mute(serverNow() - 1000)}>{w.unmute}</Button>
          : <Menu label={w.mute} text={w.mute} side="right" items={hours.map((h) => ({ text: w.mutes[h], run: () => mute(serverNow() + Number(h) * 3_600_000) }))} />}
        <Button label={w.removeOf(what)} onClick={() => (sure ? void act("DELETE", path(PathSubscription), undefined, changed) : setSure(true))}>{sure ? w.removeSure : w.remove}</Button>
      </div>
    </li>
  );
}

// Confirm takes the code that was sent to the address.
function Confirm({ id, changed }: { id: number; changed: () => void }) {
  const w = words.value;
  const [code, set] = useState("");
  const send = (e: Event): void => {
    e.preventDefault();
    void act("POST", fill(PathVerify, { id }), { code: code.trim() }, changed);
  };
  return (
    <form class="settings-code" onSubmit={send}>
      <label for={`code-${id}`}>{w.code}</label>
      <input class="field" id={`code-${id}`} value={code} inputMode="numeric" autocomplete="one-time-code" maxLength={32} aria-describedby={`code-help-${id}`} onInput={(e) => set(e.currentTarget.value)} />
      <Button type="submit" disabled={code.trim() === ""}>{w.confirm}</Button>
      <span class="note" id={`code-help-${id}`}>{w.codeHelp}</span>
    </form>
  );
}
