package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vedette-io/vedette/apitest"
)

// TestSubscribeThroughPortal checks that the portal identifies the person, that an unverified
// address gets a code, and that mistakes have a remedy and store nothing.
func TestSubscribeThroughPortal(t *testing.T) {
	home(t)
	newSink(t)
	mail := newMailbox(t)
	r := newJobArchive(t, apitest.Config{})
	path := file(t, "notify.yaml", strings.NewReplacer(
		"channels:\n", "channels:\n  mail: {type: email, server: \"smtp://"+mail.addr+"\", security: none, from: vedette@example.com}\n",
		"liwei: {", "liwei: {email: liwei@example.com, ",
	).Replace(notifyFile))
	const token = "correct-horse-battery-staple"
	base := startPortal(t, r, "--notify", path, "--rights=false", "--sign-in-tokens", file(t, "tokens.yaml", "tokens:\n- name: wei@corp\n  token: "+token+"\n"))
	awaitReady(t, base)
	run := func(want int, words ...string) string {
		t.Helper()
		out, errs := ended(t, want, append([]string{"subscribe"}, append(words, "--server", base)...)...)
		hides(t, out+errs)
		return out + errs
	}
	if text := run(1, "ls"); !strings.Contains(text, "run `vedette login`") {
		t.Errorf("without a token: %s", text)
	}
	login(t, 0, token, base)
	if text := run(0, "job/train", "-n", "ml", "--to", "mail", "--state", "Failed,Succeeded"); text != "subscription 1: liwei gets the messages about jobs.batch ml/train on mail:liwei@example.com\n" {
		t.Errorf("subscribe: said %q, want subscription 1 of liwei", text)
	}
	text := run(0, "job/train", "-n", "ml", "--to", "mail:other@example.com")
	verify := regexp.MustCompile("^subscription 2: a code was sent to mail:other@example.com; run `vedette (subscribe verify 2) CODE --server " + base + "` within 1h\n$").FindStringSubmatch(text)
	mails := mail.all()
	if verify == nil || len(mails) != 1 {
		t.Fatalf("subscribe with another address: said %s, sent %q; want one mail, and how to verify", text, mails)
	}
	code := regexp.MustCompile(`verify 2 (\d{8})`).FindStringSubmatch(strings.ReplaceAll(mails[0], "=\n", ""))
	if code == nil {
		t.Fatalf("no code in %s", mails[0])
	}
	if text := run(1, "verify", "2", "x"); !strings.Contains(text, "the code is wrong or has expired") {
		t.Errorf("verify of a bad code: said %q, want that it is wrong or has expired", text)
	}
	run(0, "verify", "2", code[1])
	if text := run(0, "mute", "1", "--for", "8h"); !strings.Contains(text, "subscription 1: no messages until ") {
		t.Errorf("mute: said %q, want until when", text)
	}
	want := []string{"ID | PERSON | ABOUT | STATES | TO | STATUS", "1 | liwei | jobs.batch ml/train | Failed,Succeeded | mail:liwei@example.com | muted", "2 | liwei | jobs.batch ml/train | all | mail:other@example.com | active"}
	list := rows(regexp.MustCompile(`muted until .*`).ReplaceAllString(run(0, "ls"), "muted"))
	if diff := cmp.Diff(want, list); diff != "" {
		t.Errorf("subscriptions (-want +got):\n%s", diff)
	}
	run(0, "mute", "1", "--for", "0")
	run(0, "remove", "2")
	through := run(0, "ls", "-o", "json")
	if direct, _, _ := r.run("subscribe", "ls", "-A", "-o", "json"); direct != through {
		t.Errorf("through the portal\n%s\nand in the database\n%s", through, direct)
	}
	for line, want := range map[string]string{
		"job/train -n ml":                            "say where the messages go",
		"job/train -n ml --to nope":                  `has no channel "nope"; it has hook, mail`,
		"job/train -n ml --to mail --state Lost":     `--state: unknown state "Lost"`,
		"job/none -n ml --to mail":                   "no job/none is in the namespace ml",
		"job/train -n ml --to mail --notify " + path: "--notify does not work with a portal",
		"ls -A":             "--all does not work with a portal",
		"remove 1 --by ann": "--by does not work with a portal",
		"remove 7":          "you have no subscription 7",
		"job/train -n ml --to mail --db sqlite:none.db": "use one of --db and --server",
	} {
		if text := run(1, strings.Fields(line)...); !strings.Contains(text, want) || strings.Count(text, "\n") != 1 {
			t.Errorf("subscribe %s: said %q, want one line with %q", line, text, want)
		}
	}
}
