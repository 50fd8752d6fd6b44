package main

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vedette-io/vedette/cmd/vedette/internal/deliveryview"
	"github.com/vedette-io/vedette/platform/notify/delivery"
)

// TestDeadletter lists, shows, replays and drops dead letters, and checks that the audit names
// the actor.
func TestDeadletter(t *testing.T) {
	t.Parallel()
	b := newLetterbox(t)
	if _, text := ended(t, 0, "deadletter", "ls", "--db", b.url); text != "no dead letters\n" {
		t.Errorf("ls of an empty database: said %q, want no dead letters", text)
	}
	b.put("mail", 3)
	b.finish("mail", delivery.Permanent, "550", "no such mailbox")
	b.put("chat", 1)
	out, _ := ended(t, 0, "deadletter", "ls", "--db", b.url)
	lines := rows(out)
	if len(lines) != 4 || lines[0] != "ID | FAILED | TRIES | TO | MESSAGE | ANSWER" || !regexp.MustCompile(`^3 \| [-\d]+ [:.\d]+ \| 1 \| liwei by mail \| .*train-2.* \| no such mailbox$`).MatchString(lines[1]) {
		t.Errorf("ls: got %q, want a header and three dead letters", lines)
	}
	out, _ = ended(t, 0, "deadletter", "ls", "--db", b.url, "-o", "json", "--limit", "1")
	var list struct{ Items []deliveryview.Document }
	if err := json.Unmarshal([]byte(out), &list); err != nil || len(list.Items) != 1 {
		t.Fatalf("ls -o json --limit 1: got %v and %s, want one dead letter", err, out)
	}
	if d := list.Items[0]; d.State != "dead" || d.Name != "train-2" || d.Error != "no such mailbox" || d.Status != "550" || d.Attempts != 1 || d.EndedAt == "" || d.DueAt != "" {
		t.Errorf("ls -o json: got %+v, want the dead letter of train-2", d)
	}
	out, _ = ended(t, 0, "deadletter", "show", "2", "--db", b.url)
	for _, want := range []string{"train-1", "liwei by mail (wei@example.com)", "my failures", "dead at ", "1; the last answer: no such mailbox", "vedette deadletter replay 2", "gpu-west/u-1/17/Failed/my-failures/mail"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if _, text := ended(t, 0, "deadletter", "replay", "1", "--by", "ann", "--db", b.url); text != "1 message will be sent again\n" {
		t.Errorf("replay of 1: said %q, want 1 message will be sent again", text)
	}
	if _, text := ended(t, 0, "deadletter", "drop", "2", "--by", "ben", "--db", b.url); text != "dropped 1 message\n" {
		t.Errorf("drop of 2: said %q, want dropped 1 message", text)
	}
	if diff := cmp.Diff(map[string]int{"dead": 1, "dropped": 1, "waiting": 2}, b.states()); diff != "" {
		t.Errorf("states after replay and drop (-want +got):\n%s", diff)
	}
	if acts := b.acts(); !slices.Contains(acts, "ann replay") || !slices.Contains(acts, "ben drop") {
		t.Errorf("got the acts %q, want ann replay and ben drop", acts)
	}
	// A number without a dead letter is an error. The command still changes the others.
	_, text := ended(t, 1, "deadletter", "replay", "2", "3", "99", "--db", b.url)
	if text != "1 message will be sent again\nvedette: 2 of the 3 numbers are not a dead letter: `vedette deadletter ls` lists them\n" {
		t.Errorf("replay of 2, 3 and 99: said %q, want one replayed and two errors", text)
	}
	out, _ = ended(t, 0, "notify", "ls", "--state", "dropped", "--db", b.url)
	if lines := rows(out); len(lines) != 2 || !strings.HasPrefix(lines[1], "2 | dropped | ") {
		t.Errorf("notify ls --state dropped: got %q, want message 2", lines)
	}
}

// TestDeadletterAll checks that --all changes all dead letters in steps, and many only with --yes.
func TestDeadletterAll(t *testing.T) {
	t.Parallel()
	b := newLetterbox(t)
	b.put("mail", few+1)
	b.put("chat", 2)
	b.finish("mail", delivery.Permanent, "", "no")
	b.finish("chat", delivery.Permanent, "", "no")
	if _, text := ended(t, 1, "deadletter", "replay", "--all", "--db", b.url); text != "vedette: this sends 13 messages again: add --yes to do it\n" {
		t.Errorf("replay --all: said %q, want the number of messages and --yes", text)
	}
	if n := b.states()["dead"]; n != 13 {
		t.Errorf("got %d dead letters, want 13", n)
	}
	if _, text := ended(t, 0, "deadletter", "drop", "--all", "--channel", "chat", "--db", b.url); text != "dropped 2 messages\n" {
		t.Errorf("drop --all --channel chat: said %q, want dropped 2 messages", text)
	}
	if _, text := ended(t, 0, "deadletter", "replay", "--all", "--yes", "--db", b.url); text != "11 messages will be sent again\n" {
		t.Errorf("replay --all --yes: said %q, want 11 messages", text)
	}
	if diff := cmp.Diff(map[string]int{"dropped": 2, "waiting": 11}, b.states()); diff != "" {
		t.Errorf("states after drop and replay of all (-want +got):\n%s", diff)
	}
	if _, text := ended(t, 0, "deadletter", "replay", "--all", "--db", b.url); text != "no dead letters\n" {
		t.Errorf("a second replay --all: said %q, want no dead letters", text)
	}
}

// TestDeadletterRefuses checks that contradictory arguments are one-line errors.
func TestDeadletterRefuses(t *testing.T) {
	t.Parallel()
	b := newLetterbox(t)
	for args, want := range map[string]string{
		"replay":                       "name the numbers that `vedette deadletter ls` shows, or use --all",
		"replay --all 3":               "--all and numbers exclude each other",
		"drop 3 --channel x":           "they need --all",
		"drop x":                       `"x" is not a number from a list, such as 17`,
		"drop -- -1":                   `"-1" is not a number from a list`,
		"show 99":                      "delivery 99: no row has this number",
		"show 99 -o wide":              `unknown output format "wide"; use json or yaml`,
		"ls --since yesterday":         `"yesterday" is not a time`,
		"ls -o xml":                    `unknown output format "xml"`,
		"replay --all --since tuesday": `"tuesday" is not a time`,
	} {
		fields := append([]string{"deadletter"}, strings.Fields(args)...)
		fields = slices.Insert(fields, 2, "--db", b.url)
		if _, text := ended(t, 1, fields...); !strings.Contains(text, want) || strings.Count(text, "\n") != 1 {
			t.Errorf("deadletter %s: said %q, want one line with %q", args, text, want)
		}
	}
	if _, text := ended(t, 1, "notify", "ls", "--state", "lost", "--db", b.url); !strings.Contains(text, `no message is ever "lost"; the states are held, behind`) {
		t.Errorf("notify ls --state lost: said %q, want the list of states", text)
	}
}

// TestNotifyChannels checks the states in the list of channels, and that enable ends a pause.
func TestNotifyChannels(t *testing.T) {
	t.Parallel()
	b := newLetterbox(t)
	if _, text := ended(t, 1, "notify", "enable", "x", "--db", b.url); text != "vedette: no channel has had a message yet, so none is disabled\n" {
		t.Errorf("enable before any message: said %q, want that no channel is disabled", text)
	}
	b.put("hook", 2)
	b.put("mail", 1)
	b.finish("hook", delivery.Disabled, "HTTP 410", "gone")
	out, _ := ended(t, 0, "notify", "channels", "-o", "wide", "--db", b.url)
	lines := rows(out)
	if len(lines) != 3 || !regexp.MustCompile(`^hook \| disabled \| 2 \| 0 \| 0 \| 0 \| \S+ ago \| 0 \| gone$`).MatchString(lines[1]) || !strings.HasPrefix(lines[2], "mail | running | 1 | 0 |") {
		t.Errorf("channels: got %q, want hook disabled and mail running", lines)
	}
	if _, text := ended(t, 1, "notify", "enable", "x", "--db", b.url); text != "vedette: no channel \"x\" has had a message; those that had are hook, mail\n" {
		t.Errorf("enable of an unknown channel: said %q, want the known channels", text)
	}
	ended(t, 0, "notify", "enable", "hook", "--by", "ann", "--db", b.url)
	out, _ = ended(t, 0, "notify", "channels", "-o", "csv", "--db", b.url)
	if !strings.Contains(out, "\nhook,running,,,,0,0,2,0,0,") || !slices.Contains(b.acts(), "ann enable") {
		t.Errorf("after enable: channels %s, acts %q; want hook running and the act ann enable", out, b.acts())
	}
}

// TestPruneMessages checks that old messages that ended are removed, and waiting ones are not.
func TestPruneMessages(t *testing.T) {
	t.Parallel()
	b := newLetterbox(t)
	b.put("mail", 2)
	b.finish("mail", delivery.Permanent, "", "no")
	b.put("chat", 1)
	if _, errs := ended(t, 0, "prune", "--keep-messages", "1ms", "--dry-run", "--db", b.url); errs != "would remove: 2 messages\n" {
		t.Errorf("prune --dry-run: said %q, want 2 messages", errs)
	}
	if _, errs := ended(t, 0, "prune", "--keep-messages", "1h", "--db", b.url); !strings.HasPrefix(errs, "removed: 0 messages, ") {
		t.Errorf("prune --keep-messages 1h: said %q, want 0 messages", errs)
	}
	if _, errs := ended(t, 0, "prune", "--keep-messages", "1ms", "--db", b.url); !strings.HasPrefix(errs, "removed: 2 messages, ") {
		t.Errorf("prune --keep-messages 1ms: said %q, want 2 messages", errs)
	}
	if diff := cmp.Diff(map[string]int{"waiting": 1}, b.states()); diff != "" {
		t.Errorf("states after prune (-want +got):\n%s", diff)
	}
	for _, args := range [][]string{{"prune"}, {"notify", "run", "--notify", "/nowhere"}} {
		if _, errs := ended(t, 1, append(args, "--keep-messages", "long", "--db", b.url)...); errs != "vedette: --keep-messages: \"long\" is not an age: want 90d, 2w, 36h or forever, for example\n" {
			t.Errorf("%q with a bad --keep-messages: said %q, want examples of an age", args, errs)
		}
	}
}
