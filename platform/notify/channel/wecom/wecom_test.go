package wecom

import (
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/channel/channeltest"
)

const user = "liwei"

func open(t *testing.T, s *channeltest.Server) *Channel {
	t.Helper()
	c, err := New(Options{URL: s.URL, Client: channel.NewClient(channeltest.Loopback())})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestChannel(t *testing.T) {
	for name, to := range map[string]channel.Receiver{"mention": {Address: user, Name: "liwei"}, "group": {}} {
		t.Run(name, func(t *testing.T) {
			channeltest.Test(t, func(t *testing.T) *channeltest.Subject {
				server := channeltest.NewWeCom(t)
				s := server.Subject(open(t, server), to)
				s.Inert = func(payload string) []string { return channeltest.WeComMarkup(payload, to.Address) }
				// The card opens the page of the first button, and has room for two more.
				return s
			})
		})
	}
}

func TestKinds(t *testing.T) {
	for code, want := range map[int]channel.ErrorKind{
		45009: channel.Throttled, 45033: channel.Throttled, 93000: channel.Disabled, 40058: channel.Permanent, 40008: channel.Permanent,
		44004: channel.Permanent, 45002: channel.Permanent, -1: channel.Temporary, 12345: channel.Temporary,
	} {
		if got := kindOf(code); got != want {
			t.Errorf("%d: %v, want %v", code, got, want)
		}
	}
}

func TestAnswers(t *testing.T) {
	for body, want := range map[string]struct {
		status int
		text   string
	}{
		`{"errcode":0,"errmsg":"ok"}`:     {200, ""},
		`{"errcode":45009,"errmsg":"no"}`: {200, "errcode 45009"},
		`{}`:                              {200, "without a code"},
		`<html>`:                          {500, "HTTP 500"},
	} {
		_, err := receipt(&channel.Answer{Status: want.status, Body: []byte(body)})
		if (err == nil) != (want.text == "") || err != nil && !strings.Contains(err.Error(), want.text) {
			t.Errorf("%d %s: %v, want %q", want.status, body, err, want.text)
		}
		if e := channel.ErrorOf(err); e != nil && e.Kind == channel.Throttled && e.RetryAfter != time.Minute {
			t.Errorf("answer %s: got a wait of %s, want 1 min", body, e.RetryAfter)
		}
	}
}

func TestOptions(t *testing.T) {
	for url, want := range map[string]string{
		"": "missing", "https://qyapi.weixin.qq.com/cgi-bin/webhook/send": "no key", "http://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=x": "https://",
		"https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=x": "",
	} {
		c, err := New(Options{URL: url})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", url, err, want)
		}
		if c != nil {
			_ = c.Close()
		}
	}
}

// TestForm: some messages are cards, and others are Markdown.
func TestForm(t *testing.T) {
	to := channel.Receiver{Address: user}
	bare := channeltest.Failed("en")
	bare.URL = ""
	for want, b := range map[string]*body{
		"template_card":      render(channeltest.Failed("en"), channel.Receiver{}),
		"markdown":           render(channeltest.Failed("en"), to),
		"markdown ":          render(channeltest.Digest("en"), channel.Receiver{}),
		"markdown, no links": render(bare, channel.Receiver{}),
	} {
		if !strings.HasPrefix(want, b.Type) {
			t.Errorf("%s instead of %s", b.Type, want)
		}
	}
}

// TestMuteIsNeverCut renders more facts and buttons than a card can have.
func TestMuteIsNeverCut(t *testing.T) {
	m := channeltest.Failed("en")
	m.URL = channeltest.Portal + "/elsewhere"
	m.Facts = append(m.Facts, m.Facts...)
	c := render(m, channel.Receiver{}).Card
	if len(c.Jumps) != maxJumps || c.Jumps[maxJumps-1].URL != m.Footer.Mute.URL || len(c.Facts) != maxFacts {
		t.Errorf("got %d facts and links %+v, want as many as fit, with the mute as the last link", len(c.Facts), c.Jumps)
	}
}
