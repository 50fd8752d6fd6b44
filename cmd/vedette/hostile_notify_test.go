package main

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// formats are the formats of lists.
var formats = []string{"", "wide", "name", "jsonpath={.name}{.title}{.error}{.reason}", "json", "yaml", "ndjson", "csv"}

// evilChannel is a name that a channel may have.
const evilChannel = "evil\x1b[2J\u202e\nFORGED row\tx"

// letters prints messages with hostile text in every column.
func (h *hostile) letters(t *testing.T) {
	b := &letterbox{t, h.db}
	evilLetter := func(d *delivery.Delivery) {
		d.Key += evil
		d.Kind, d.Rule, d.Receiver, d.Person, d.Role = evil, evil, evil, evil, evil
	}
	b.put("mail", 3, evilLetter)
	b.finish("mail", delivery.Permanent, evil, evil)
	b.put("chat", 1)
	b.put(evilChannel, 2, evilLetter)
	b.finish(evilChannel, delivery.Disabled, evil, evil)
	h.corrupt(`UPDATE deliveries SET rule_name = ?1, receiver = ?1, person = ?1, role = ?1, status = ?1, last_error = ?1, acked_by = ?1, claimed_by = ?1`, worse)
	h.corrupt(`UPDATE deliveries SET notice = replace(notice, 'train', 'evil\u001b[2J\u202e\nFORGED row\tcell') WHERE channel = 'mail'`)
	h.corrupt(`UPDATE deliveries SET notice = ?1 WHERE id = 3`, worse)
	h.corrupt(`UPDATE notify_channels SET reason = ?1`, worse)
	for _, command := range []string{"deadletter ls", "notify ls", "notify channels"} {
		for _, format := range formats {
			args := append(strings.Fields(command), "--db", h.db)
			if format != "" {
				args = append(args, "-o", format)
			}
			out, errs, code := h.run(args...)
			if code != 0 || errs != "" || format != "name" && !strings.Contains(out, "evil") {
				t.Errorf("%q: exit code %d, said %s, printed\n%s\nwant 0 and the hostile text, escaped", args, code, errs, out)
			}
			if format == "csv" {
				h.spreadsheet(t, out)
			}
		}
	}
	for _, format := range []string{"", "json", "yaml"} {
		for id := 1; id <= 6; id++ {
			args := []string{"deadletter", "show", fmt.Sprint(id), "--db", h.db}
			if format != "" {
				args = append(args, "-o", format)
			}
			if out, errs, code := h.run(args...); code != 0 || !strings.Contains(out, "evil") {
				t.Errorf("%q: exit code %d, output %s%s; want 0 and the hostile text, escaped", args, code, out, errs)
			}
		}
	}
	for _, args := range [][]string{
		{"deadletter", "show", evil},
		{"deadletter", "show", "1", "-o", evil},
		{"deadletter", "replay", "1", "--by", evil},
		{"deadletter", "drop", "2", "--by", evil},
		{"deadletter", "drop", evil},
		{"deadletter", "replay", "--all", "--channel", evil},
		{"deadletter", "replay", "--all", "--since", evil},
		{"deadletter", "replay", "--all", "--person", evil},
		{"deadletter", "ls", "--since", evil},
		{"notify", "ls", "--state", evil},
		{"deadletter", evil},
		{"notify", evil},
		{"notify", "reset"},
		{"notify", "reset", evil},
		{"notify", "divide", evil},
		{"notify", "divide", "2"},
		{"notify", "recover"},
		{"notify", "recover", "--channel", evil, "--since", "1h"},
		{"notify", "recover", "--channel", "mail", "--since", evil},
		{"notify", "silence", evil},
		{"notify", "silence", "add"},
		{"notify", "silence", "add", "--matcher", evil, "--for", "1h", "--comment", evil},
		{"notify", "silence", "add", "--matcher", "name=" + evil, "--for", "1h", "--comment", evil, "--by", evil},
		{"notify", "silence", "add", "--matcher", "labels=" + evil, "--for", "1h", "--comment", evil},
		{"notify", "silence", "add", "--matcher", "node=a", "--for", evil, "--comment", evil},
		{"notify", "silence", "add", "--matcher", "node=a", "--for", "1h", "--start", evil, "--comment", evil},
		{"notify", "silence", "add", "--matcher", "node=a", "--for", "1h", "--comment", evil, "--by", evil},
		{"notify", "silence", "ls", "-A", "-o", "wide"},
		{"notify", "silence", "ls", "-o", evil},
		{"notify", "silence", "show", "1"},
		{"notify", "silence", "show", evil},
		{"notify", "silence", "expire", "1", "--by", evil},
		{"notify", "silence", "expire", evil},
		{"notify", "enable", evil},
		{"notify", "enable", evilChannel},
	} {
		h.run(append(args, "--db", h.db)...)
		h.run(append(args, "--db", evil)...)
	}
	b.with(func(d *sqldb.DB) error {
		acts, err := delivery.Acts(t.Context(), d, 10)
		if len(acts) == 0 || acts[0].Action != "enable" {
			t.Errorf("got the acts %+v, want enable first", acts)
		}
		return err
	})
	h.silences(t)
}

// silences prints a silence with hostile text in every column.
func (h *hostile) silences(t *testing.T) {
	h.run("notify", "silence", "add", "--matcher", "node=a", "--for", "1h", "--comment", "evil", "--by", "evil", "--db", h.db)
	h.corrupt(`UPDATE silences SET comment = ?1, created_by = ?1`, worse)
	for _, command := range []string{"notify silence ls -A", "notify silence show 1"} {
		for _, format := range formats {
			args := append(strings.Fields(command), "--db", h.db)
			if format != "" {
				args = append(args, "-o", format)
			}
			// show says the text on the standard error, because its rows are messages.
			out, errs, code := h.run(args...)
			hides := format == "name" || strings.HasPrefix(format, "jsonpath")
			if code != 0 || !hides && !strings.Contains(out+errs, "evil") {
				t.Errorf("%q: exit code %d, said %s, printed\n%s\nwant 0 and the hostile text, escaped", args, code, errs, out)
			}
			if format == "csv" {
				h.spreadsheet(t, out)
			}
		}
	}
}

// notifications uses hostile files, people, subscriptions and endpoints.
func (h *hostile) notifications(t *testing.T) {
	s := newSink(t)
	s.answer(http.StatusTeapot)
	quoted := strconv.QuoteToASCII(evilChannel)
	path := file(t, "notify.yaml", notifyFile)
	for _, text := range []string{
		"EVIL: 1\n", "channels: {EVIL: {type: webhook}}\n", "channels: {a: {type: EVIL}}\n", "people: {EVIL: {EVIL: EVIL}}\n", "rules: [{name: EVIL, to: [EVIL], labels: EVIL}]\n", "a: \x1b[2J\n",
		"channels: {a: {type: webhook, url: EVIL, secret: EVIL}}\n",
	} {
		bad := file(t, "notify.yaml", strings.ReplaceAll(text, "EVIL", quoted))
		for _, args := range [][]string{{"notify", "check"}, {"notify", "run", "--db", h.db}, {"notify", "test", "a"}, {"record", "pods", "--db", h.db, "--kubeconfig", h.srv.kubeconfig}} {
			if _, errs, code := h.run(append(args, "--notify", bad)...); code != 1 || errs == "" {
				t.Errorf("%q: exit code %d, said %s; want 1 and an error", args, code, errs)
			}
		}
	}
	named := file(t, "notify.yaml", strings.NewReplacer("wei@corp", quoted, "[pods]", "[pods]\n  when: "+strconv.Quote(`new.message != `+strconv.QuoteToASCII(evilChannel))).Replace(notifyFile))
	if out, errs, code := h.run("notify", "check", named); code != 0 || !strings.Contains(out, "evil") {
		t.Errorf("exit code %d, output %s%s; want 0 and the hostile text, escaped", code, out, errs)
	}
	for _, args := range [][]string{
		{"notify", "test", evil},
		{"notify", "test", "hook"},
		{"notify", "test", "hook", "--by", evil},
		{"notify", "test", "hook", "--to", evil},
		{"notify", "check", evil},
		{"subscribe", evil, "--to", "hook"},
		{"subscribe", "pod/train", "--to", evilChannel},
		{"subscribe", "pod/train", "--to", "hook:" + evil},
		{"subscribe", "pod/train", "--state", evil},
		{"subscribe", "pod/" + evil, "--to", "hook"},
		{"subscribe", "pod/train", "-n", evil, "--to", "hook"},
		{"subscribe", "pod/train", "--to", "hook", "--context", evil},
	} {
		args = append(args, "--notify", path)
		if args[0] == "subscribe" {
			args = append(args, "--db", h.db, "--kubeconfig", h.srv.kubeconfig)
		}
		_, errs, code := h.run(args...)
		if code != 1 {
			t.Errorf("%q: exit code %d, want 1: %s", args, code, errs)
		}
		hides(t, errs)
	}
	for _, args := range [][]string{
		{"subscribe", "verify", "1", evil},
		{"subscribe", "verify", evil, evil},
		{"subscribe", "mute", evil},
		{"subscribe", "mute", "99", "-A"},
		{"subscribe", "mute", "1", "-A", "--for", evil},
		{"subscribe", "remove", evil},
		{"subscribe", "remove", "99", "-A", "--by", evil},
		{"ack", evil},
		{"ack", "pod/" + evil},
		{"ack", "a/b/" + evil},
		{"ack", "99999"},
		{"ack", "pod/train", "-n", "ml", "--by", evil},
		{"subscribe", "ls", "--kubeconfig", evil},
		{"subscribe", "ls", "-A", "-o", evil},
	} {
		h.run(append(args, "--db", h.db)...)
	}
	everything := file(t, "notify.yaml", strings.NewReplacer("enter: [Failed]", "existing: true\n  when: new.reason != ''", "[pods]", `["*"]`).Replace(notifyFile))
	for _, format := range formats {
		args := []string{"notify", "preview", "--since", "3d", "--notify", everything, "--db", h.db}
		if format != "" {
			args = append(args, "-o", strings.ReplaceAll(format, "{.name}", "{.samples[0]}"))
		}
		out, errs, code := h.run(args...)
		if code != 0 || format != "name" && !strings.Contains(out, "evil") {
			t.Errorf("%q: exit code %d, output %s%s; want 0 and the hostile text, escaped", args, code, out, errs)
		}
	}
	h.run("doctor", "--notify", path, "--db", h.db)
	h.corrupt(`INSERT INTO subscriptions (content_hash, person, cluster, object_type, namespace, name, uid, labels, states, channel, address, created_at, created_by, verified_at, code_hash, code_until, tries, muted_until)
		VALUES (x'00', ?1, ?1, ?1, ?1, ?1, ?1, ?1, ?1, ?1, ?1, 1, ?1, 1, x'00', 1, 0, 9000000000000000)`, worse)
	for _, format := range formats {
		args := []string{"subscribe", "ls", "-A", "--db", h.db}
		if format != "" {
			args = append(args, "-o", format)
		}
		out, errs, code := h.run(args...)
		if code != 0 || errs != "" || format != "name" && !strings.Contains(out, "evil") {
			t.Errorf("%q: exit code %d, output %s%s; want 0 and the hostile text, escaped", args, code, out, errs)
		}
	}
}
