package email

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/notify/channel"
)

const password = "s3cr3t-pass word"

var liwei = channel.Receiver{Address: "liwei@example.com", Name: "Li Wei"}

// connect returns a channel to a mailbox, with a password.
func connect(t *testing.T, s *mailbox, changes ...func(*Options)) *Channel {
	t.Helper()
	scheme := "smtp"
	if s.implicit {
		scheme = "smtps"
	}
	o := Options{URL: scheme + "://" + s.Addr().String(), Username: "vedette", Password: password, From: "Vedette <vedette@gpu-west.example>", Roots: s.roots}
	for _, change := range changes {
		change(&o)
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// TestSendsEncrypted: with STARTTLS and with implicit TLS a mail arrives encrypted, and the
// connection serves the next one.
func TestSendsEncrypted(t *testing.T) {
	for _, implicit := range []bool{false, true} {
		s := newMailbox(t, func(s *mailbox) { s.implicit = implicit })
		c := connect(t, s)
		if err := c.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			r, err := c.Send(t.Context(), failedMessage(), liwei)
			if err != nil || !strings.Contains(r.Status, "queued as 7F3A") || !strings.HasSuffix(r.Ref, "@gpu-west.vedette") {
				t.Fatalf("got %+v and error %v, want it queued, with a reference", r, err)
			}
		}
		mails, connections := s.taken()
		if len(mails) != 3 || connections != 2 || !mails[0].encrypted || !strings.HasPrefix(mails[0].from, "FROM:<vedette@gpu-west.example>") || mails[0].to != "TO:<liwei@example.com>" {
			t.Errorf("%d mails by %d connections: %.200v", len(mails), connections, mails)
		}
		if !s.said("AUTH PLAIN") {
			t.Error("no authentication")
		}
	}
}

// TestNoPasswordInPlainText: without STARTTLS, or with an untrusted certificate, neither
// the password nor a mail is sent.
func TestNoPasswordInPlainText(t *testing.T) {
	s := newMailbox(t, func(s *mailbox) { s.noStartTLS = true })
	_, err := connect(t, s).Send(t.Context(), failedMessage(), liwei)
	if e := channel.ErrorOf(err); e == nil || e.Kind != channel.Temporary || !strings.Contains(err.Error(), "STARTTLS") {
		t.Errorf("without STARTTLS: %v", err)
	}
	other := newMailbox(t)
	_, err = connect(t, other, func(o *Options) { o.Roots = nil }).Send(t.Context(), failedMessage(), liwei)
	if e := channel.ErrorOf(err); e == nil || e.Kind != channel.Temporary || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("a certificate that nobody knows: %v", err)
	}
	for _, s := range []*mailbox{s, other} {
		if mails, _ := s.taken(); len(mails) != 0 || s.said("AUTH") || s.said("MAIL") {
			t.Errorf("got the commands %v, want no sign-in and no mail", s.lines)
		}
	}
	plain := connect(t, s, func(o *Options) { o.Security, o.Username, o.Password = Opportunistic, "", "" })
	if _, err := plain.Send(t.Context(), failedMessage(), liwei); err != nil {
		t.Errorf("opportunistic, without a password: %v", err)
	}
}

// TestFlood: a server that sends an answer without an end, before encryption or after it, is not
// read for more than the limit and the buffers of the connection.
func TestFlood(t *testing.T) {
	for _, verb := range []string{"greeting", "EHLO", "MAIL", "end"} {
		s := newMailbox(t)
		s.set(verb, "flood")
		_, err := connect(t, s).Send(t.Context(), failedMessage(), liwei)
		if e := channel.ErrorOf(err); e == nil || e.Kind != channel.Temporary || len(err.Error()) > 2000 {
			t.Errorf("%s: got error %v, want a short and temporary one", verb, err)
		}
		if n := s.flooded.Load(); n == 0 || n > 32<<20 {
			t.Errorf("%s: %d bytes were sent", verb, n)
		}
	}
}

// TestAnswers: each answer of the server has its kind, and no error shows the password.
func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		verb, answer string
		kind         channel.ErrorKind
		status       string
	}{
		{"greeting", "421 4.3.2 stopping", channel.Throttled, "SMTP 421"},
		{"greeting", "554 go away", channel.Temporary, "SMTP 554"},
		{"greeting", "close", channel.Temporary, ""},
		{"EHLO", "502 what", channel.Temporary, ""},
		{"STARTTLS", "454 4.7.0 no TLS today", channel.Throttled, "SMTP 454"},
		{"AUTH", "535 5.7.8 no: " + password, channel.Temporary, "SMTP 535"},
		{"AUTH", "454 4.7.0 later", channel.Throttled, "SMTP 454"},
		{"MAIL", "550 5.7.1 not you", channel.Permanent, "SMTP 550 5.7.1"},
		{"MAIL", "452 4.3.1 full", channel.Temporary, "SMTP 452 4.3.1"},
		{"RCPT", "550 5.1.1 unknown", channel.Permanent, "SMTP 550 5.1.1"},
		{"RCPT", "450 4.2.0 greylisted", channel.Temporary, "SMTP 450 4.2.0"},
		{"RCPT", "451 try again later", channel.Temporary, "SMTP 451"},
		{"RCPT", "421 4.7.0 too many", channel.Throttled, "SMTP 421 4.7.0"},
		{"RCPT", "close", channel.Temporary, ""},
		{"DATA", "451 4.3.0 no", channel.Temporary, "SMTP 451 4.3.0"},
		{"end", "554 5.7.1 spam", channel.Permanent, "SMTP 554 5.7.1"},
		{"end", "552 5.3.4 too large", channel.Permanent, "SMTP 552 5.3.4"},
		{"end", "close", channel.Temporary, ""},
	} {
		t.Run(c.verb+" "+c.answer, func(t *testing.T) {
			s := newMailbox(t)
			s.set(c.verb, c.answer)
			ch := connect(t, s)
			_, err := ch.Send(t.Context(), failedMessage(), liwei)
			e := channel.ErrorOf(err)
			if e == nil || e.Kind != c.kind || !strings.HasPrefix(e.Status, c.status) || c.status == "" && e.Status != "" || strings.Contains(err.Error(), "s3cr3t") {
				t.Fatalf("%v of kind %v, status %q", err, e.Kind, e.Status)
			}
			s.set(c.verb, "")
			if _, err := ch.Send(t.Context(), failedMessage(), liwei); err != nil {
				t.Errorf("the next mail: %v", err)
			}
		})
	}
}

// TestFaultAfterTheEnd: a connection error after the server accepted the mail is ignored.
func TestFaultAfterTheEnd(t *testing.T) {
	s := newMailbox(t)
	s.set("RSET", "close")
	c := connect(t, s)
	for range 2 {
		if _, err := c.Send(t.Context(), failedMessage(), liwei); err != nil {
			t.Errorf("send after a fault at the end failed: %v", err)
		}
	}
	if mails, connections := s.taken(); len(mails) != 2 || connections != 2 {
		t.Errorf("%d mails by %d connections", len(mails), connections)
	}
}

// TestStalledServer: Send ends with its context, wherever the server stalls.
func TestStalledServer(t *testing.T) {
	for _, verb := range []string{"greeting", "EHLO", "STARTTLS", "AUTH", "MAIL", "RCPT", "DATA", "end"} {
		s := newMailbox(t)
		s.set(verb, "silent")
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond) // an input: the time that Send has
		_, err := connect(t, s).Send(ctx, failedMessage(), liwei)
		cancel()
		if e := channel.ErrorOf(err); e == nil || e.Kind != channel.Temporary || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s stalls: got %v, want a temporary error by the deadline", verb, err)
		}
	}
}

// TestStaleConnection: a connection that the server closed while it was idle loses no
// mail.
func TestStaleConnection(t *testing.T) {
	s := newMailbox(t)
	c := connect(t, s)
	for i := range 3 {
		if _, err := c.Send(t.Context(), failedMessage(), liwei); err != nil {
			t.Fatalf("mail %d was not sent: %v", i, err)
		}
		s.mu.Lock()
		for connection := range s.open {
			_ = connection.Close()
		}
		s.mu.Unlock()
	}
	if mails, connections := s.taken(); len(mails) != 3 || connections != 3 {
		t.Errorf("%d mails by %d connections", len(mails), connections)
	}
}

// TestManyAtOnce: all parallel mails arrive, and few connections stay open.
func TestManyAtOnce(t *testing.T) {
	s := newMailbox(t)
	c := connect(t, s)
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() {
			m := failedMessage()
			m.ID += fmt.Sprint(i)
			if _, err := c.Send(t.Context(), m, liwei); err != nil {
				t.Errorf("mail %d was not sent: %v", i, err)
			}
		})
	}
	group.Wait()
	c.pool.mu.Lock()
	idle := len(c.pool.idle)
	c.pool.mu.Unlock()
	if mails, _ := s.taken(); len(mails) != 20 || idle > maxIdle {
		t.Errorf("%d mails, %d idle connections", len(mails), idle)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if _, err := c.Send(t.Context(), failedMessage(), liwei); err == nil {
		t.Error("a closed channel sends")
	}
}

// TestReceivers: the address comes from the receiver, else from the channel, and must be
// one valid address.
func TestReceivers(t *testing.T) {
	s := newMailbox(t)
	c := connect(t, s, func(o *Options) { o.To = "Ops <ops@example.com>" })
	if _, err := c.Send(t.Context(), failedMessage(), channel.Receiver{}); err != nil {
		t.Fatal(err)
	}
	if mails, _ := s.taken(); mails[0].to != "TO:<ops@example.com>" {
		t.Errorf("got %q, want %q", mails[0].to, "TO:<ops@example.com>")
	}
	for _, address := range []string{"nobody", "a@b.c, d@e.f", "a@b.c\r\nRCPT TO:<evil@example.com>", "<a@b.c>\r\nBcc: evil@example.com", "a@b.c>\nX: y", `"a b"@c.d`, " ", "@", "a@" + strings.Repeat("b", 400)} {
		_, err := c.Send(t.Context(), failedMessage(), channel.Receiver{Address: address})
		if e := channel.ErrorOf(err); e == nil || e.Kind != channel.Permanent {
			t.Errorf("receiver %q: got %v, want a permanent error", address, err)
		}
	}
	if mails, _ := s.taken(); len(mails) != 1 || s.said("evil") {
		t.Errorf("got %d mails, want 1, and nothing to evil", len(mails))
	}
	alone := connect(t, s)
	if _, err := alone.Send(t.Context(), failedMessage(), channel.Receiver{}); channel.ErrorOf(err) == nil || channel.ErrorOf(err).Kind != channel.Permanent {
		t.Errorf("no receiver: got %v, want a permanent error", err)
	}
}

// TestNewRefuses: errors name the mistake and show no secret.
func TestNewRefuses(t *testing.T) {
	good := Options{URL: "smtp://mail.example", From: "vedette@example.com", Username: "vedette", Password: "s3cr3t"}
	for name, change := range map[string]func(*Options){
		"no URL":               func(o *Options) { o.URL = "" },
		"http":                 func(o *Options) { o.URL = "http://mail.example" },
		"no host":              func(o *Options) { o.URL = "smtp://:25" },
		"a user in the URL":    func(o *Options) { o.URL = "smtp://vedette:s3cr3t@mail.example" },
		"a path":               func(o *Options) { o.URL = "smtp://mail.example/s3cr3t" },
		"port 0":               func(o *Options) { o.URL = "smtp://mail.example:0" },
		"port 65536":           func(o *Options) { o.URL = "smtp://mail.example:65536" },
		"no sender":            func(o *Options) { o.From = "" },
		"a sender of two":      func(o *Options) { o.From = "a@b.c, d@e.f" },
		"a line in the sender": func(o *Options) { o.From = "a@b.c\r\nBcc: s3cr3t@e.f" },
		"no address":           func(o *Options) { o.To = "s3cr3t" },
		"no password":          func(o *Options) { o.Password = "" },
		"no user":              func(o *Options) { o.Username = "" },
		"plain text":           func(o *Options) { o.Security = Plaintext },
		"opportunistic":        func(o *Options) { o.Security = Opportunistic },
		"smtps in plain text":  func(o *Options) { o.URL, o.Security = "smtps://mail.example", Plaintext },
		"no such security":     func(o *Options) { o.Security = 9 },
		"a line in the user":   func(o *Options) { o.Username = "a\r\nb" },
	} {
		o := good
		change(&o)
		if c, err := New(o); err == nil || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%s: got %v and error %v, want an error without the password", name, c, err)
		}
	}
	for raw, port := range map[string]int{"smtp://mail.example": 587, "smtps://mail.example": 465, "smtp://mail.example:25": 25, "smtps://[::1]:4650/": 4650} {
		o := good
		o.URL = raw
		if c, err := New(o); err != nil || c.server.port != port {
			t.Errorf("%s: got error %v, want port %d", raw, err, port)
		}
	}
}
