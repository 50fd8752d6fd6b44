package dingtalk

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/channel/channeltest"
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

// TestBan sends more than DingTalk accepts: the error requests a wait of ten minutes,
// which is long enough.
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
		t.Fatalf("got %+v, want it throttled for 10 minutes", e)
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

func TestKinds(t *testing.T) {
	for code, want := range map[int]channel.ErrorKind{
		130101: channel.Throttled, 410100: channel.Throttled, 90018: channel.Throttled, 90030: channel.Throttled, 300001: channel.Disabled,
		400013: channel.Disabled, 400101: channel.Disabled, 400102: channel.Disabled, 310000: channel.Temporary, -1: channel.Temporary,
		300005: channel.Temporary, 40035: channel.Permanent, 460101: channel.Permanent, 43004: channel.Permanent, 430102: channel.Permanent,
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
		kind   channel.ErrorKind
	}{
		`{"errcode":0,"errmsg":"ok"}`:                                 {200, "", 0},
		`{"errcode":310000,"errmsg":"sign not match"}`:                {200, "errcode 310000", channel.Temporary},
		`{"status":1111,"wait":5,"source":"x5","punish":"deny"}`:      {200, "shut out", channel.Throttled},
		`{"punish":"deny","errcode":130101,"errmsg":"send too fast"}`: {200, "errcode 130101", channel.Throttled},
		`{}`:            {200, "without a code", channel.Temporary},
		`<html>`:        {200, "without a code", channel.Temporary},
		`<html>gateway`: {504, "HTTP 504", channel.Throttled},
	} {
		_, err := receipt(&channel.Answer{Status: want.status, Body: []byte(body)})
		if (err == nil) != (want.text == "") || err != nil && (!strings.Contains(err.Error(), want.text) || channel.ErrorOf(err).Kind != want.kind) {
			t.Errorf("%d %s: %v, want %q", want.status, body, err, want.text)
		}
	}
}

func TestOptions(t *testing.T) {
	for url, want := range map[string]string{
		"": "missing", "https://oapi.dingtalk.com/robot/send": "no access_token", "http://oapi.dingtalk.com/robot/send?access_token=x": "https://",
		"https://oapi.dingtalk.com/robot/send?access_token=x": "",
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

func TestCheckComparesClocks(t *testing.T) {
	server := channeltest.NewDingTalk(t, secret)
	for skew, want := range map[time.Duration]bool{0: true, 29 * time.Minute: true, 31 * time.Minute: false, -31 * time.Minute: false} {
		server.Skew(skew)
		if err := open(t, server, secret).Check(t.Context()); (err == nil) != want {
			t.Errorf("clock off by %s: got %v, want it accepted: %t", skew, err, want)
		}
		server.Skew(-skew)
	}
}

func TestMobile(t *testing.T) {
	for address, want := range map[string]string{
		"13800138000": "13800138000", "+86-13800138000": "+86-13800138000", "": "", "all": "", "138 001": "", "138><": "", strings.Repeat("1", 21): "",
	} {
		if got := mobile(address); got != want {
			t.Errorf("%q: %q, want %q", address, got, want)
		}
	}
}
