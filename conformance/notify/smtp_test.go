package notify_test

import (
	"fmt"
	"net/mail"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/channel/channeltest"
	"github.com/vedette-io/vedette/platform/notify/channel/email"
	"github.com/vedette-io/vedette/platform/notify/message"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, controlplane.IgnoreSpawner()) }

// options returns the options of a channel to the server, with STARTTLS or implicit TLS.
func (e *exim) options(implicit bool) email.Options {
	o := email.Options{URL: fmt.Sprintf("smtp://127.0.0.1:%d", e.smtp), Username: eximUser, Password: eximPassword, From: "Vedette <vedette@gpu-west.example>", Roots: e.roots}
	if implicit {
		o.URL = fmt.Sprintf("smtps://127.0.0.1:%d", e.implicit)
	}
	return o
}

func open(t *testing.T, o email.Options) *email.Channel {
	t.Helper()
	c, err := email.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// TestMails: mails arrive with STARTTLS and with implicit TLS, with each method of
// authentication, with any text. A repeat has the same Message-ID, and all mails of a job
// are one thread.
func TestMails(t *testing.T) {
	for way := range authenticators {
		for _, implicit := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/implicit=%v", way, implicit), func(t *testing.T) {
				t.Parallel()
				e := startExim(t, way)
				c := open(t, e.options(implicit))
				if err := c.Check(t.Context()); err != nil {
					t.Fatal(err)
				}
				to := channel.Receiver{Address: "liwei@example.com", Name: "李伟"}
				failed, digest := channeltest.Failed(message.Chinese), channeltest.Digest(message.English)
				hostile, huge := channeltest.Hostile(message.English), channeltest.Huge(message.Chinese)
				digest.ID, hostile.ID, huge.ID = "digest", "hostile", "huge"
				for _, m := range []*message.Message{failed, failed, digest, hostile, huge} {
					if r, err := c.Send(t.Context(), m, to); err != nil || !strings.Contains(r.Status, "OK id=") {
						t.Fatalf("%s: %+v, %v", m.Title, r, err)
					}
				}
				patience.Until(t, "five mails", func() string {
					if n := len(e.mails(t)); n != 5 {
						return fmt.Sprint(n, " mails")
					}
					return ""
				})
				check(t, e)
				log := read(e.dir + "/log/mainlog")
				if strings.Count(log, " P=esmtpsa ") != 5 || strings.Count(log, " A=way:"+eximUser) != 5 {
					t.Errorf("not every mail came encrypted and authenticated:\n%s", log)
				}
			})
		}
	}
}

// check reads the mails that arrived.
func check(t *testing.T, e *exim) {
	t.Helper()
	ids := map[string]int{}
	for _, text := range e.mails(t) {
		m, err := mail.ReadMessage(strings.NewReader(text))
		if err != nil {
			t.Fatalf("%v in %.300s", err, text)
		}
		ids[m.Header.Get("Message-Id")]++
		if to := m.Header.Get("Envelope-To"); to != "liwei@example.com" || m.Header.Get("Auto-Submitted") != "auto-generated" || m.Header.Get("Bcc") != "" || len(m.Header["Subject"]) != 1 {
			t.Errorf("headers of a mail to %s: %v", to, m.Header)
		}
		if !strings.HasPrefix(m.Header.Get("Content-Type"), "multipart/related") {
			t.Errorf("the mail is a %s", m.Header.Get("Content-Type"))
		}
	}
	if len(ids) != 4 {
		t.Errorf("five mails, one of them a repeat, have the Message-IDs %v", ids)
	}
}

// TestRefusals: the errors for a wrong password, an unknown receiver and a busy receiver have the
// right kinds.
func TestRefusals(t *testing.T) {
	e := startExim(t, "PLAIN")
	c := open(t, e.options(false))
	m := channeltest.Failed(message.English)
	for address, want := range map[string]struct {
		kind   channel.ErrorKind
		status string
	}{
		"unknown@example.com": {channel.Permanent, "SMTP 550"},
		"later@example.com":   {channel.Temporary, "SMTP 451"},
	} {
		_, err := c.Send(t.Context(), m, channel.Receiver{Address: address})
		if got := channel.ErrorOf(err); got == nil || got.Kind != want.kind || !strings.HasPrefix(got.Status, want.status) {
			t.Errorf("%s: %v", address, err)
		}
		if _, err := c.Send(t.Context(), m, channel.Receiver{Address: "liwei@example.com"}); err != nil {
			t.Errorf("after %s: %v", address, err)
		}
	}
	for name, change := range map[string]func(*email.Options){
		"a wrong password":         func(o *email.Options) { o.Password = "wr0ng-pass" },
		"an untrusted certificate": func(o *email.Options) { o.Roots = nil },
	} {
		for _, implicit := range []bool{false, true} {
			o := e.options(implicit)
			change(&o)
			c := open(t, o)
			for _, err := range []error{c.Check(t.Context()), second(c.Send(t.Context(), m, channel.Receiver{Address: "liwei@example.com"}))} {
				if got := channel.ErrorOf(err); got == nil || got.Kind != channel.Temporary || strings.Contains(err.Error(), o.Password) {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
}

func second[T any](_ T, err error) error { return err }
