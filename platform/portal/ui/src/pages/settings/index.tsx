// Settings: subscriptions, appearance, language, times, the command line and the account.

import "../../shared";
import type { ComponentChildren } from "preact";
import { PathSubscriptions } from "../../api";
import type { SubscriptionList } from "../../api";
import { problem } from "../../core/client";
import { time, zone } from "../../core/format";
import { useResource } from "../../core/resource";
import { session, signOut } from "../../core/session";
import { setTheme, theme } from "../../core/theme";
import type { Theme } from "../../core/theme";
import { setZone, zoneChoice } from "../../core/zone";
import type { Zone } from "../../core/zone";
import { Button } from "../../design/button";
import { Card, GrayRows, Trouble, copy } from "../../design/panel";
import { Time } from "../../design/text";
import { toast } from "../../design/toast";
import { language, setLanguage } from "../../words/language";
import type { Language } from "../../words/language";
import { AddForm } from "./add";
import { SubscriptionRow } from "./subscriptions";
import { words } from "./words";

// SettingsPage is the page of the same name.
export function SettingsPage() {
  const w = words.value;
  return (
    <div class="settings">
      <div class="page-head"><h1>{w.title}</h1></div>
      <div class="content settings-columns">
        <div class="stack"><Subscriptions /></div>
        <div class="stack"><Looks /><CommandLine /><Account /></div>
      </div>
    </div>
  );
}

function Subscriptions() {
  const w = words.value;
  const s = session.value;
  const can = s !== undefined && s.notifies && s.signIn !== undefined;
  const list = useResource<SubscriptionList>(can ? PathSubscriptions : "", { keep: true });
  if (s !== undefined && !s.notifies) {
    return <Card title={w.subscriptions}><p class="settings-none">{w.noNotifier}</p></Card>;
  }
  const addresses: Record<string, string> = w.addresses;
  const subscriptions = list.data?.subscriptions ?? [];
  const channels = list.data?.channels ?? [];
  return (
    <>
      <Card title={w.subscriptions} note={list.data === undefined ? undefined : w.subscriptionsNote(subscriptions.length)}>
        {list.problem === undefined ? null : <div class="settings-pad"><Trouble problem={list.problem} again={list.reload} /></div>}
        {list.data === undefined ? (list.problem === undefined ? <GrayRows rows={3} /> : null)
          : subscriptions.length === 0 ? <p class="settings-none">{w.noSubscriptions}</p>
          : <ul class="settings-list">{subscriptions.map((x) => <SubscriptionRow key={x.id} subscription={x} changed={list.reload} />)}</ul>}
      </Card>
      {channels.length === 0 ? null : <Card title={w.add}><AddForm channels={channels} changed={list.reload} /></Card>}
      {list.data === undefined ? null : (
        <Card title={w.channels} note={w.channelsNote}>
          {channels.length === 0 ? <p class="settings-none">{w.noChannels}</p>
            : <ul class="settings-list">{channels.map((c) => <li key={c.name} class="settings-channel"><b>{c.name}</b><span class="text-3">{c.kind}</span><span class="text-2">{(c.address ?? "") === "" ? w.needsNothing : w.needs((addresses[c.address ?? ""] ?? c.address ?? ""))}</span></li>)}</ul>}
        </Card>
      )}
    </>
  );
}

// Radio is a choice of few words, all of them shown.
function Radio<T extends string>(p: { name: string; label: string; value: T; options: readonly (readonly [T, ComponentChildren])[]; put: (v: T) => void }) {
  return (
    <fieldset class="settings-radio">
      <legend>{p.label}</legend>
      <div class="settings-segments">
        {p.options.map(([value, text]) => (
          <label key={value} class="settings-segment"><input type="radio" name={p.name} value={value} checked={p.value === value} onChange={() => p.put(value)} /><span>{text}</span></label>
        ))}
      </div>
    </fieldset>
  );
}

function Looks() {
  const w = words.value;
  const themes: readonly (readonly [Theme, string])[] = [["system", w.themes.system], ["light", w.themes.light], ["dark", w.themes.dark]];
  const languages: readonly (readonly [Language, ComponentChildren])[] = [["en", <span lang="en">English</span>], ["zh", <span lang="zh-CN">中文</span>]];
  const zones: readonly (readonly [Zone, string])[] = [["local", w.timesLocal(zone())], ["utc", w.timesUTC]];
  return (
    <Card title={w.looks}>
      <div class="settings-choices">
        <Radio name="language" label={w.language} value={language.value} options={languages} put={setLanguage} />
        <Radio name="theme" label={w.theme} value={theme.value} options={themes} put={setTheme} />
        <Radio name="times" label={w.times} value={zoneChoice.value} options={zones} put={setZone} />
      </div>
    </Card>
  );
}

function CommandLine() {
  const w = words.value;
  const commands = `vedette login --server ${location.origin}\nvedette jobs --server ${location.origin}`;
  return (
    <Card title={w.cli} side={<Button icon="copy" onClick={() => copy(commands)}>{w.copy}</Button>}>
      <div class="settings-choices">
        <p class="text-2">{w.cliHelp}</p>
        <pre class="settings-commands" tabIndex={0}>{commands}</pre>
        <p class="note">{w.cliToken.split("`").map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part))}</p>
      </div>
    </Card>
  );
}

function Account() {
  const w = words.value;
  const s = session.value;
  if (s === undefined) {
    return null;
  }
  const leave = (): void => void signOut().catch((e: unknown) => toast(problem(e).detail ?? problem(e).title, { failure: true }));
  const nobody = s.signIn === "none" && (s.person ?? "") === "";
  return (
    <Card title={w.account} note={w.version(s.version)}>
      <div class="settings-choices">
        {nobody ? <p class="text-2">{w.signedInBy.none}</p> : <p><b>{s.person ?? ""}</b> <span class="text-3">{s.signIn === "none" ? "" : w.signedInBy[s.signIn]}</span></p>}
        <dl class="settings-facts">
          {(s.names ?? []).length === 0 ? null : <><dt>{w.names}</dt><dd>{(s.names ?? []).join(", ")}</dd></>}
          {(s.groups ?? []).length === 0 ? null : <><dt>{w.groups}</dt><dd>{(s.groups ?? []).join(", ")}</dd></>}
          {s.expires === undefined ? null : <><dt>{w.expires}</dt><dd><Time at={s.expires} show={(ms) => time(ms)} /></dd></>}
        </dl>
        {s.signIn === "none" ? null : <div><Button onClick={leave}>{w.signOut}</Button></div>}
      </div>
    </Card>
  );
}
