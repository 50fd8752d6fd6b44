package main

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// mailbox is an SMTP server that accepts every mail.
type mailbox struct {
	addr  string
	mu    sync.Mutex
	mails []string
}

func newMailbox(t *testing.T) *mailbox {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m := &mailbox{addr: l.Addr().String()}
	var work sync.WaitGroup
	work.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			work.Go(func() { m.serve(c) })
		}
	})
	t.Cleanup(func() { _ = l.Close(); work.Wait() })
	return m
}

func (m *mailbox) serve(c net.Conn) {
	defer c.Close()
	in, text, data := bufio.NewScanner(c), "", false
	fmt.Fprint(c, "220 here\r\n")
	for in.Scan() {
		line := in.Text()
		switch {
		case data && line == ".":
			m.mu.Lock()
			m.mails = append(m.mails, text)
			m.mu.Unlock()
			data = false
			fmt.Fprint(c, "250 taken\r\n")
		case data:
			text += line + "\n"
		case strings.HasPrefix(line, "DATA"):
			data = true
			fmt.Fprint(c, "354 send\r\n")
		case strings.HasPrefix(line, "QUIT"):
			fmt.Fprint(c, "221 bye\r\n")
			return
		default:
			text += line + "\n"
			fmt.Fprint(c, "250 ok\r\n")
		}
	}
}

func (m *mailbox) all() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.mails...)
}

// office is a recorded cluster with users, and a file of notifications.
type office struct {
	*letterbox
	srv  *platform
	mail *mailbox
	path string
}

func newOffice(t *testing.T) *office {
	t.Helper()
	newSink(t)
	srv := recordable(t, apitest.Config{Tokens: map[string]string{"secret": "wei@corp", "t-ann": "ann"}, Authorize: func(r apitest.Request) error {
		if r.User == "ann" && r.Resource.Resource == "pods" {
			return errors.New("not you")
		}
		return nil
	}})
	srv.create(newPod("ml", "train-7"))
	srv.secure()
	srv.configure("token: secret")
	o := &office{letterbox: &letterbox{t, "sqlite:" + filepath.Join(t.TempDir(), "h.db")}, srv: srv, mail: newMailbox(t)}
	o.path = file(t, "notify.yaml", strings.NewReplacer(
		"channels:\n", "channels:\n  mail: {type: email, server: \"smtp://"+o.mail.addr+"\", security: none, from: vedette@example.com}\n",
		"liwei: {", "liwei: {email: liwei@example.com, ",
	).Replace(notifyFile))
	p := start(t, "record", "pods", "-A", "--kubeconfig", srv.kubeconfig, "--db", o.url)
	p.err.holds(t, "Ctrl-C ends it")
	recorded(t, o.url, "pods", "train-7")
	p.interrupt()
	return o
}

// run runs a command with the settings of the office.
func (o *office) run(want int, args ...string) (out, errs string) {
	o.t.Helper()
	out, errs = ended(o.t, want, append(args, "--db", o.url, "--notify", o.path, "--kubeconfig", o.srv.kubeconfig)...)
	hides(o.t, out+errs)
	return out, errs
}

func (o *office) subscriptions() (all []delivery.Subscription) {
	o.t.Helper()
	o.with(func(d *sqldb.DB) (err error) {
		all, err = delivery.Subscriptions(o.t.Context(), d, "")
		return err
	})
	return all
}

// TestSubscribe checks that a person's own address needs no code, and that the cluster identifies
// the person.
func TestSubscribe(t *testing.T) {
	o := newOffice(t)
	_, errs := o.run(0, "subscribe", "pod/train-7", "-n", "ml", "--to", "mail", "--state", "Failed,Succeeded")
	if errs != "subscription 1: liwei gets the messages about pods ml/train-7 on mail:liwei@example.com\n" {
		t.Errorf("subscribe: said %q, want subscription 1 of liwei", errs)
	}
	all := o.subscriptions()
	if len(all) != 1 || all[0].VerifiedAt.IsZero() || all[0].States != "Failed,Succeeded" || all[0].UID == "" || all[0].CreatedBy != "wei@corp" {
		t.Errorf("got %+v, want one verified subscription by wei@corp", all)
	}
	// The namespace comes from the context; any name of the person is accepted. A repeated
	// subscription keeps its number.
	for _, to := range []string{"mail:liwei", "mail:liwei@example.com"} {
		if _, errs := o.run(0, "subscribe", "pods/train-7", "--to", to); !strings.HasPrefix(errs, "subscription 2: liwei gets") {
			t.Errorf("subscribe --to %s: said %q, want subscription 2", to, errs)
		}
	}
	if _, errs := o.run(0, "subscribe", "pods/train-7", "--to", "hook"); !strings.HasSuffix(errs, "ml/train-7 on hook\n") {
		t.Errorf("subscribe --to hook: said %q, want ml/train-7 on hook", errs)
	}
	out, _ := o.run(0, "subscribe", "ls")
	want := []string{"ID | PERSON | ABOUT | STATES | TO | STATUS", "1 | liwei | pods ml/train-7 | Failed,Succeeded | mail:liwei@example.com | active", "2 | liwei | pods ml/train-7 | all | mail:liwei@example.com | active", "4 | liwei | pods ml/train-7 | all | hook | active"}
	if diff := cmp.Diff(want, rows(out)); diff != "" {
		t.Errorf("subscriptions (-want +got):\n%s", diff)
	}
	o.run(0, "subscribe", "mute", "2", "--for", "8h")
	if out, _ := o.run(0, "subscribe", "ls", "-A", "-o", "jsonpath={.id}={.mutedUntil}"); !regexp.MustCompile(`(?m)^1=\n2=2\S+Z\n4=$`).MatchString(out) {
		t.Errorf("subscribe ls: got %q, want only 2 muted", out)
	}
	o.run(0, "subscribe", "mute", "2", "--for", "0")
	o.run(0, "subscribe", "remove", "4")
	if all := o.subscriptions(); len(all) != 2 || !all[1].MutedUntil.IsZero() {
		t.Errorf("got %+v, want 2 subscriptions, the second not muted", all)
	}
	if mails := o.mail.all(); len(mails) > 0 {
		t.Errorf("a code was sent: %s", mails)
	}
}

// TestSubscribeVerifies checks that an unknown address gets a code, and no message before the code
// is confirmed.
func TestSubscribeVerifies(t *testing.T) {
	o := newOffice(t)
	_, errs := o.run(0, "subscribe", "pod/train-7", "--to", "mail:other@example.com")
	if errs != "subscription 1: a code was sent to mail:other@example.com; run `vedette subscribe verify 1 CODE` within 1h\n" {
		t.Errorf("subscribe with another address: said %q, want how to verify", errs)
	}
	if all := o.subscriptions(); len(all) != 1 || !all[0].VerifiedAt.IsZero() {
		t.Errorf("got %+v, want one subscription that is not verified", all)
	}
	mails := o.mail.all()
	if len(mails) != 1 || !strings.Contains(mails[0], "<other@example.com>") {
		t.Fatalf("got the mails %q, want one to other@example.com", mails)
	}
	code := regexp.MustCompile(`verify 1 (\d{8})`).FindStringSubmatch(strings.ReplaceAll(mails[0], "=\n", ""))
	if code == nil {
		t.Fatalf("no code in %s", mails[0])
	}
	wrong := "00000000"
	if code[1] == wrong {
		wrong = "00000001"
	}
	if _, errs := ended(t, 1, "subscribe", "verify", "1", wrong, "--db", o.url); errs != "vedette: the code is wrong or has expired; subscribe again to get a new one\n" {
		t.Errorf("verify of a wrong code: said %q, want that it is wrong or has expired", errs)
	}
	if out, _ := o.run(0, "subscribe", "ls"); !strings.Contains(out, "waits for the code") {
		t.Errorf("subscribe ls: got %q, want that it waits for the code", out)
	}
	ended(t, 0, "subscribe", "verify", "1", code[1], "--db", o.url)
	if all := o.subscriptions(); all[0].VerifiedAt.IsZero() {
		t.Errorf("after verify: got %+v, want it verified", all)
	}
}

// TestSubscribeRefuses checks that missing rights and mistakes are one-line errors, and store
// nothing.
func TestSubscribeRefuses(t *testing.T) {
	o := newOffice(t)
	unrecorded := newPod("ml", "new")
	o.srv.create(unrecorded)
	for args, want := range map[string]string{
		"pod/train-7":                            "say where the messages go, such as --to mail",
		"pod/train-7 --to nope":                  `has no channel "nope"; it has closed, hook, mail`,
		"pod/train-7 --to closed":                "jobs of the namespace ml may not use channel closed: choose another one",
		"pod/train-7 --to hook:x":                "channel hook is of type webhook, which has no addresses",
		"pod/train-7 --to mail --state Lost":     `--state: unknown state "Lost"; the states are Submitted`,
		"pod/train-8 --to mail":                  `pods "train-8" not found`,
		"pod/new --to mail":                      "pods ml/new is not recorded in",
		"poods/train-7 --to mail":                `no resource type "poods"`,
		"train-7 --to mail":                      `"train-7" does not name an object`,
		"pod/train-7 -n other --to mail":         "not found",
		"pod/train-7 --to mail --context nobody": `has no context "nobody"`,
	} {
		if _, errs := o.run(1, append([]string{"subscribe"}, strings.Fields(args)...)...); !strings.Contains(errs, want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("subscribe %s: said %q, want one line with %q", args, errs, want)
		}
	}
	o.srv.configure("token: t-ann")
	if _, errs := o.run(1, "subscribe", "pod/train-7", "--to", "mail"); errs != "vedette: you may not read pods ml/train-7, so you cannot get messages about it: request the permission to get pods\n" {
		t.Errorf("subscribe without the right to read: said %q, want the permission to request", errs)
	}
	o.srv.configure("token: unknown")
	if _, errs := o.run(1, "subscribe", "pod/train-7", "--to", "mail"); !strings.Contains(errs, "rejects these credentials") {
		t.Errorf("subscribe with bad credentials: said %q, want that the server rejects them", errs)
	}
	if all := o.subscriptions(); len(all) > 0 {
		t.Errorf("got subscriptions %+v, want none", all)
	}
}

// TestSubscriptionsOfOthers checks that only operators change the subscriptions of others.
func TestSubscriptionsOfOthers(t *testing.T) {
	o := newOffice(t)
	o.run(0, "subscribe", "pod/train-7", "--to", "mail")
	o.srv.configure("token: t-ann")
	if _, errs := o.run(0, "subscribe", "ls"); errs != "ann has no subscriptions\n" {
		t.Errorf("subscribe ls of ann: said %q, want no subscriptions", errs)
	}
	for _, verb := range []string{"mute", "remove"} {
		if _, errs := o.run(1, "subscribe", verb, "1"); errs != "vedette: ann has no subscription 1: `vedette subscribe ls` lists yours\n" {
			t.Errorf("%s of another person's subscription: said %q, want that ann does not have it", verb, errs)
		}
	}
	o.run(0, "subscribe", "remove", "1", "-A", "--by", "operator")
	if all, acts := o.subscriptions(), o.acts(); len(all) > 0 || acts[0] != "operator unsubscribe" {
		t.Errorf("remove by the operator: got %+v and acts %q, want no subscription and operator unsubscribe", all, acts)
	}
}

// TestAck acknowledges a message and a job, and checks the stored name.
func TestAck(t *testing.T) {
	o := newOffice(t)
	job := recorded(t, o.url, "pods", "train-7")
	o.put("hook", 1, func(d *delivery.Delivery) { d.Object, d.EscalateAt = job.ID, d.EscalateAt.AddDate(2100, 0, 0) })
	o.put("chat", 1, func(d *delivery.Delivery) { d.Object, d.EscalateAt = job.ID, d.EscalateAt.AddDate(2100, 0, 0) })
	if _, errs := ended(t, 0, "ack", "pod/train-7", "-n", "ml", "--by", "ann", "--db", o.url); errs != "ann acknowledged 2 messages about pods ml/train-7: nobody else is notified\n" {
		t.Errorf("ack: said %q, want 2 messages acknowledged by ann", errs)
	}
	out, _ := ended(t, 0, "notify", "ls", "-o", "jsonpath={.ackedBy}", "--db", o.url)
	if out != "ann\nann\n" {
		t.Errorf("acknowledged by: got %q, want ann twice", out)
	}
	for word, want := range map[string]string{
		"1": "no message about the job of message 1 waits for an acknowledgment",
		"gpu-west/u-0/17/Failed/my-failures/hook": "no message about the job of message gpu-west/u-0/17/Failed/my-failures/hook waits",
	} {
		if _, errs := ended(t, 0, "ack", word, "--db", o.url); !strings.Contains(errs, want) {
			t.Errorf("ack %s: said %q, want %q", word, errs, want)
		}
	}
	for word, want := range map[string]string{
		"99": "there is no message 99: `vedette notify ls` lists them", "a/b/c": "there is no message a/b/c", "pod/train-8": "not found in the history", "word": "does not name an object",
	} {
		if _, errs := ended(t, 1, "ack", word, "--db", o.url); !strings.Contains(errs, want) {
			t.Errorf("ack %s: said %q, want %q", word, errs, want)
		}
	}
}
