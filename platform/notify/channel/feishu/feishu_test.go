package feishu

import (
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/channel/channeltest"
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

func TestKinds(t *testing.T) {
	for code, want := range map[int]channel.ErrorKind{
		9499: channel.Permanent, 19001: channel.Disabled, 19002: channel.Permanent, 19021: channel.Temporary, 19022: channel.Temporary,
		19024: channel.Temporary, 11232: channel.Throttled, 11246: channel.Permanent, 99991400: channel.Throttled, 230099: channel.Permanent, 1: channel.Temporary,
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
		`{"code":0,"msg":"success"}`:                  {200, ""},
		`{"StatusCode":0,"StatusMessage":"success"}`:  {200, ""},
		`{"code":19024,"msg":"Key Words Not Found"}`:  {200, "code 19024"},
		`{"code":9499,"msg":"Bad Request"}`:           {400, "code 9499"},
		`{}`:                                          {200, "without a code"},
		`<html>`:                                      {200, "without a code"},
		`<html>gateway`:                               {502, "HTTP 502"},
		`{"StatusCode":19001,"StatusMessage":"gone"}`: {200, "code 19001"},
		`{"code":"0"}`:                                {200, "without a code"},
	} {
		_, err := receipt(&channel.Answer{Status: want.status, Body: []byte(body)})
		if (err == nil) != (want.text == "") || err != nil && !strings.Contains(err.Error(), want.text) {
			t.Errorf("%d %s: %v, want %q", want.status, body, err, want.text)
		}
	}
}

func TestOptions(t *testing.T) {
	for url, want := range map[string]string{
		"": "missing", "https://open.feishu.cn/": "no token", "http://open.feishu.cn/open-apis/bot/v2/hook/x": "https://",
		"https://open.feishu.cn/open-apis/bot/v2/hook/x": "", "https://open.larksuite.com/open-apis/bot/v2/hook/x": "",
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
	server := channeltest.NewFeishu(t, secret)
	for skew, want := range map[time.Duration]bool{0: true, 29 * time.Minute: true, 31 * time.Minute: false, -31 * time.Minute: false} {
		server.Skew(skew)
		if err := open(t, server, secret).Check(t.Context()); (err == nil) != want {
			t.Errorf("clock off by %s: got %v, want it accepted: %t", skew, err, want)
		}
		if err := open(t, server, "").Check(t.Context()); err != nil {
			t.Errorf("%s without a secret: %v", skew, err)
		}
		server.Skew(-skew)
	}
}

func TestTemplates(t *testing.T) {
	m := channeltest.Failed("en")
	for s, want := range map[job.State]string{
		job.Submitted: "grey", job.Queued: "yellow", job.Starting: "wathet", job.Running: "blue", job.Suspended: "indigo", job.Restarting: "purple",
		job.Succeeded: "green", job.Failed: "red", job.Aborted: "orange", job.Deleted: "grey", "": "grey", "Other": "grey",
	} {
		m.State = s
		if got := template(m); got != want {
			t.Errorf("%s: %s, want %s", s, got, want)
		}
	}
	if got := template(channeltest.Probe("en")); got != "default" {
		t.Errorf("template of a test: got %s, want default", got)
	}
}
