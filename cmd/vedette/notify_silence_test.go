package main

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// holdBack makes a silence hold back one message about a job.
func (b *letterbox) holdBack(id int64) {
	b.t.Helper()
	event, err := json.Marshal(failedNotice("train-9"))
	if err != nil {
		b.t.Fatal(err)
	}
	b.with(func(d *sqldb.DB) error {
		s, err := delivery.FindSilence(b.t.Context(), d, id)
		if err != nil {
			return err
		}
		return d.Transact(b.t.Context(), func(tx *sqldb.Tx) error {
			summary := delivery.Delivery{Key: "silence/1/mail", Kind: "Digest", Channel: "mail", NextAt: s.EndsAt, Event: []byte(`{"silence":{"id":1,"matchers":"node=gpu-1"}}`)}
			_, _, err := delivery.HoldBack(b.t.Context(), tx, id, summary, []delivery.Delivery{{Key: "held", Kind: "Failed", Channel: "mail", Person: "liwei", Object: 9, Event: event}})
			return err
		})
	})
}

// TestSilenceCommands adds, lists, shows and expires silences. The audit names the actor, and
// the summary names the silence.
func TestSilenceCommands(t *testing.T) {
	t.Parallel()
	b := newLetterbox(t)
	run := func(code int, args ...string) (out, text string) {
		t.Helper()
		return ended(t, code, append([]string{"notify", "silence"}, append(args, "--db", b.url)...)...)
	}
	if _, text := run(0, "ls"); text != "no silences\n" {
		t.Errorf("ls: said %q, want no silences", text)
	}
	if _, text := run(0, "add", "--matcher", "node=gpu-1", "--for", "2h", "--comment", "a new GPU", "--by", "vera"); !regexp.MustCompile(`^silence 1 holds back messages until [-\d]+ [:.\d]+\n$`).MatchString(text) {
		t.Errorf("add: said %q, want silence 1 with its end", text)
	}
	b.holdBack(1)
	out, _ := run(0, "ls")
	if lines := rows(out); len(lines) != 2 || !regexp.MustCompile(`^1 \| active \| node=gpu-1 \| .* \| 1 \| vera \| a new GPU$`).MatchString(lines[1]) {
		t.Errorf("ls: got %q, want silence 1 with one message", lines)
	}
	out, text := run(0, "show", "1")
	if lines := rows(out); len(lines) != 2 || !strings.Contains(lines[1], "silenced") || !strings.Contains(lines[1], "train-9") || !strings.HasSuffix(lines[1], "silenced by silence 1") || !strings.Contains(text, "node=gpu-1") {
		t.Errorf("show: got %q and %q, want the message about train-9", lines, text)
	}
	if out, _ := ended(t, 0, "deadletter", "show", "2", "--db", b.url); !strings.Contains(strings.Join(strings.Fields(out), " "), "Silence 1 (node=gpu-1) has ended. It held back 1 message; `vedette notify silence show 1`") {
		t.Errorf("the summary is\n%s", out)
	}
	if _, text := run(0, "expire", "1", "--by", "ann"); text != "silence 1 has ended\n" {
		t.Errorf("expire: said %q", text)
	}
	if _, text := run(1, "expire", "1"); !strings.Contains(text, "`vedette notify silence ls` lists the silences") {
		t.Errorf("expire again: said %q, want the list", text)
	}
	if out, _ := run(0, "ls", "-A", "-o", "jsonpath={.id} {.state} {.expiredBy} {.heldBack}"); strings.TrimSpace(out) != "1 expired ann 1" {
		t.Errorf("ls -A: got %q, want silence 1, expired by ann", out)
	}
	if acts := b.acts(); !slices.Contains(acts, "vera silence") || !slices.Contains(acts, "ann expire-silence") {
		t.Errorf("got the acts %q, want silence and expire-silence", acts)
	}
	for name, args := range map[string][]string{
		"no matcher": {"--for", "2h", "--comment", "c"}, "no end": {"--matcher", "node=a", "--comment", "c"}, "no comment": {"--matcher", "node=a", "--for", "2h"},
		"unknown field": {"--matcher", "color=red", "--for", "2h", "--comment", "c"}, "everything": {"--matcher", "cluster=*", "--for", "2h", "--comment", "c"},
		"long": {"--matcher", "node=a", "--for", "31d", "--comment", "c"}, "forever": {"--matcher", "node=a", "--for", "forever", "--comment", "c"},
		"past": {"--matcher", "node=a", "--for", "2h", "--start", "2020-01-01", "--comment", "c"},
	} {
		if _, text := run(1, append([]string{"add"}, args...)...); text == "" {
			t.Errorf("%s: no error", name)
		}
	}
	if out, _ := run(0, "ls", "-A", "-o", "name"); strings.TrimSpace(out) != "silence/1" {
		t.Errorf("after the refused ones: got %q, want silence 1 only", out)
	}
}
