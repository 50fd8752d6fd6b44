package feishu

import (
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/notify/channel"
	"github.com/vedette-io/vedette/notify/channel/channeltest"
)

const (
	secret = "tHoOkSeCrEt8Kq2"
	openID = "ou_7d8a6e6df7621556ce0d21922b676706ccs"
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
		server := channeltest.NewFeishu(t, secret)
		s := server.Subject(open(t, server, secret), channel.Receiver{Address: openID, Name: "liwei"})
		s.Secrets = append(s.Secrets, secret)
		s.Inert = func(payload string) []string { return channeltest.FeishuMarkup(payload, openID) }
		s.Check = func(payload string) []string {
			if len(payload) > maxCard+512 || !strings.Contains(payload, `"sign":"`) {
				return []string{"too large or not signed"}
			}
			return nil
		}
		return s
	})
}

func TestSignature(t *testing.T) {
	server := channeltest.NewFeishu(t, secret)
	for name, c := range map[string]struct {
		secret string
		skew   time.Duration
		want   string
	}{
		"right":          {secret, 0, ""},
		"wrong":          {"another", 0, "19021"},
		"missing":        {"", 0, "19021"},
		"almost too old": {secret, 59 * time.Minute, ""},
		"too old":        {secret, 61 * time.Minute, "19021"},
		"too new":        {secret, -61 * time.Minute, "19021"},
	} {
		server.Skew(c.skew)
		server.Advance(time.Minute)
		_, err := open(t, server, c.secret).Send(t.Context(), channeltest.Failed("en"), channel.Receiver{})
		server.Skew(-c.skew)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
