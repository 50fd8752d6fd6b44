package feishu

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/channel/channeltest"
)

const chat = "oc_a0553eda9014c201e6969b478895c230"

func openApp(t *testing.T, s *channeltest.Server, chat string) *Channel {
	t.Helper()
	c, err := New(Options{URL: s.URL, AppID: channeltest.FeishuAppID, AppSecret: s.Token, Chat: chat, Client: channel.NewClient(channeltest.Loopback())})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestApp(t *testing.T) {
	for name, to := range map[string]channel.Receiver{"group": {Address: openID}, "person": {Address: openID, Private: true}, "email": {Address: "liwei@example.com"}} {
		t.Run(name, func(t *testing.T) {
			channeltest.Test(t, func(t *testing.T) *channeltest.Subject {
				server := channeltest.NewFeishuApp(t)
				s := server.Subject(openApp(t, server, chat), to)
				s.Kinds = []channel.ErrorKind{channel.Temporary, channel.Throttled, channel.Permanent}
				s.Secrets = append(s.Secrets, channeltest.FeishuAppToken(1))
				s.Inert = func(payload string) []string {
					return channeltest.FeishuMarkup(channeltest.FeishuCard(payload), to.Address)
				}
				return s
			})
		})
	}
}

func TestTargets(t *testing.T) {
	person := channel.Receiver{Address: openID, Private: true}
	for want, c := range map[string]struct {
		chat string
		to   channel.Receiver
	}{
		"chat_id " + chat:         {chat, channel.Receiver{Address: openID}},
		"open_id " + openID:       {chat, person},
		"open_id  " + openID:      {"", channel.Receiver{Address: openID}},
		"email liwei@example.com": {chat, channel.Receiver{Address: "liwei@example.com", Private: true}},
		"user_id 4d7a3c6g":        {"", channel.Receiver{Address: "4d7a3c6g"}},
		"no valid address":        {"", channel.Receiver{}},
		"no valid address ":       {chat, channel.Receiver{Address: "all", Private: true}},
	} {
		kind, id, err := (&app{chat: c.chat}).target(c.to)
		got := kind + " " + id
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, strings.TrimSpace(strings.ReplaceAll(want, "  ", " "))) {
			t.Errorf("%+v: %q, want %q", c, got, want)
		}
	}
}

// TestTokens: a token is used until it ends or is refused.
func TestTokens(t *testing.T) {
	server := channeltest.NewFeishuApp(t)
	c := openApp(t, server, chat)
	now := time.Now()
	c.now = func() time.Time { return now }
	send := func() error {
		server.Advance(time.Second)
		_, err := c.Send(t.Context(), channeltest.Failed("en"), channel.Receiver{})
		return err
	}
	for step, want := range []struct {
		later  time.Duration
		revoke bool
		fails  bool
		token  int64
	}{
		{0, false, false, 1},
		{time.Hour, false, false, 1},
		{54 * time.Minute, false, false, 1},
		{2 * time.Minute, false, false, 2},
		{0, true, true, 0},
		{0, false, false, 3},
	} {
		now = now.Add(want.later)
		if want.revoke {
			server.RevokeFeishuToken()
		}
		err := send()
		if (err != nil) != want.fails || err != nil && channel.ErrorOf(err).Kind != channel.Temporary {
			t.Fatalf("step %d: got %v, want a temporary error: %t", step, err, want.fails)
		}
		if want.token > 0 && c.app.token != channeltest.FeishuAppToken(want.token) {
			t.Errorf("step %d: token %s, want number %d", step, c.app.token, want.token)
		}
	}
	c.app.secret = "another"
	c.app.token = ""
	if err := send(); err == nil || channel.ErrorOf(err).Kind != channel.Temporary || !strings.Contains(err.Error(), "10014") {
		t.Errorf("got %v, want a temporary error with code 10014", err)
	}
	if err := c.Check(t.Context()); err == nil {
		t.Error("Check accepts a wrong secret")
	}
}

// TestRefusedToken: a refused secret loses no message, and appears nowhere.
func TestRefusedToken(t *testing.T) {
	for _, code := range []string{"9499", "19001", "230001"} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			_ = json.NewEncoder(w).Encode(map[string]any{"code": json.Number(code), "msg": string(body)})
		}))
		c, err := New(Options{URL: server.URL, AppID: "cli_1", AppSecret: "dskLLdkasdjlasdKK", Chat: chat, Client: channel.NewClient(channeltest.Loopback())})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Send(t.Context(), channeltest.Failed("en"), channel.Receiver{})
		if e := channel.ErrorOf(err); e == nil || e.Kind != channel.Temporary || !strings.Contains(e.Error(), code) || strings.Contains(e.Error(), "dskLL") {
			t.Errorf("code %s: got %v, want a temporary error with the code and without the secret", code, err)
		}
		_ = c.Close()
		server.Close()
	}
}

// TestPrivateMentionsNobody: a direct message mentions nobody.
func TestPrivateMentionsNobody(t *testing.T) {
	server := channeltest.NewFeishuApp(t)
	c := openApp(t, server, chat)
	for i, to := range []channel.Receiver{{Address: openID}, {Address: openID, Private: true}} {
		if _, err := c.Send(t.Context(), channeltest.Failed("en"), to); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(server.Accepted()[i], "<at id="); got == to.Private {
			t.Errorf("%+v: mentioned is %t, want %t", to, got, !to.Private)
		}
	}
}

func TestOptionsOfApp(t *testing.T) {
	for want, o := range map[string]Options{
		"":                 {AppID: "cli_1", AppSecret: "x"},
		"ID of the app":    {URL: "https://open.feishu.cn/open-apis/bot/v2/hook/x", Chat: chat},
		"secret of the":    {AppID: "cli_1"},
		"a custom bot":     {AppID: "cli_1", AppSecret: "x", URL: "https://open.feishu.cn/open-apis/bot/v2/hook/x"},
		"neither the URL ": {AppID: "cli_1", AppSecret: "x", Secret: "y"},
	} {
		c, err := New(o)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
		if c != nil {
			_ = c.Close()
		}
	}
}
