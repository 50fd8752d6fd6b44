package dingtalk

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/vedette-io/vedette/notify/channel"
	"github.com/vedette-io/vedette/notify/channel/channeltest"
)

const (
	secret = "SEC240d7bb4c0bafc62"
	number = "13800138000"
)

func open(t *testing.T, s *channeltest.Server, secret string) *Channel {
	t.Helper()
	c, err := New(Options{URL: s.URL, Secret: secret, Client: channel.NewClient(channeltest.Loopback())})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestChannel(t *testing.T) {
	channeltest.Test(t, func(t *testing.T) *channeltest.Subject {
		server := channeltest.NewDingTalk(t, secret)
		s := server.Subject(open(t, server, secret), channel.Receiver{Address: number, Name: "liwei"})
		s.Secrets = append(s.Secrets, secret)
		s.Inert = func(payload string) []string { return channeltest.DingTalkMarkup(payload, number) }
		s.Check = func(payload string) []string {
			if len(payload) > maxBody || utf8.RuneCountInString(payload) > maxText+2000 {
				return []string{"too large"}
			}
			return nil
		}
		return s
	})
}

func TestSignature(t *testing.T) {
	server := channeltest.NewDingTalk(t, secret)
	for name, c := range map[string]struct {
		secret string
		skew   time.Duration
		want   string
	}{
		"right":          {secret, 0, ""},
		"wrong":          {"SECanother", 0, "310000"},
		"missing":        {"", 0, "310000"},
		"almost too old": {secret, 59 * time.Minute, ""},
		"too old":        {secret, 61 * time.Minute, "310000"},
		"too new":        {secret, -61 * time.Minute, "310000"},
	} {
		server.Skew(c.skew)
		_, err := open(t, server, c.secret).Send(t.Context(), channeltest.Failed("en"), channel.Receiver{})
		server.Skew(-c.skew)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// TestBan sends more than DingTalk takes: the error says to wait for ten minutes, and that
// is enough.
func TestBan(t *testing.T) {
	server := channeltest.NewDingTalk(t, secret)
	c := open(t, server, secret)
	for range 20 {
		if _, err := c.Send(t.Context(), channeltest.Digest("zh"), channel.Receiver{}); err != nil {
			t.Fatal(err)
		}
	}
	_, err := c.Send(t.Context(), channeltest.Digest("zh"), channel.Receiver{})
	e := channel.ErrorOf(err)
	if e == nil || e.Kind != channel.Throttled || e.RetryAfter != 10*time.Minute {
		t.Fatalf("%+v", e)
	}
	server.Advance(9 * time.Minute)
	if _, err = c.Send(t.Context(), channeltest.Digest("zh"), channel.Receiver{}); channel.ErrorOf(err) == nil || channel.ErrorOf(err).Kind != channel.Throttled {
		t.Fatalf("still shut out: %v", err)
	}
	server.Advance(time.Minute)
	if _, err = c.Send(t.Context(), channeltest.Digest("zh"), channel.Receiver{}); err != nil {
		t.Fatal(err)
	}
	if !c.Traits().DigestByDefault {
		t.Error("no digest by default")
	}
}
