package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/notify/delivery"
	"github.com/vedette-io/vedette/record/sqldb"
)

// formats are the formats of lists.
var formats = []string{"", "wide", "name", "jsonpath={.name}{.title}{.error}{.reason}", "json", "yaml", "ndjson", "csv"}

// evilChannel is a name that a channel may have.
const evilChannel = "evil\x1b[2J\u202e\nFORGED row\tx"

// letters: messages whose every column was written by others.
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
	h.corrupt(`UPDATE deliveries SET event = replace(event, 'train', 'evil\u001b[2J\u202e\nFORGED row\tcell') WHERE channel = 'mail'`)
	h.corrupt(`UPDATE deliveries SET event = ?1 WHERE id = 3`, worse)
	h.corrupt(`UPDATE notify_channels SET reason = ?1`, worse)
	for _, command := range []string{"deadletter ls", "notify ls", "notify channels"} {
		for _, format := range formats {
			args := append(strings.Fields(command), "--db", h.db)
			if format != "" {
				args = append(args, "-o", format)
			}
			out, errs, code := h.run(args...)
			if code != 0 || errs != "" || format != "name" && !strings.Contains(out, "evil") {
				t.Errorf("%q: exit code %d, %s\n%s", args, code, errs, out)
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
				t.Errorf("%q: exit code %d, %s%s", args, code, out, errs)
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
		{"notify", "enable", evil},
		{"notify", "enable", evilChannel},
	} {
		h.run(append(args, "--db", h.db)...)
		h.run(append(args, "--db", evil)...)
	}
	b.with(func(d *sqldb.DB) error {
		acts, err := delivery.Acts(t.Context(), d, 10)
		if len(acts) == 0 || acts[0].Action != "enable" {
			t.Errorf("%+v", acts)
		}
		return err
	})
}
