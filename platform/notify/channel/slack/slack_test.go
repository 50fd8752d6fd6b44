package slack

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/channel/channeltest"
)

const user = "U024BE7LH"

func open(t *testing.T, s *channeltest.Server, bot bool) *Channel {
	t.Helper()
	o := Options{URL: s.URL, Client: channel.NewClient(channeltest.Loopback())}
	if bot {
		o.Token, o.Conversation = s.Token, "C0123456789"
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestWebhook(t *testing.T) {
	channeltest.Test(t, func(t *testing.T) *channeltest.Subject {
		server := channeltest.NewSlackWebhook(t)
		s := server.Subject(open(t, server, false), channel.Receiver{Address: user, Name: "liwei"})
		s.Inert = func(payload string) []string { return channeltest.SlackMarkup(payload, user) }
		return s
	})
}

func TestBot(t *testing.T) {
	channeltest.Test(t, func(t *testing.T) *channeltest.Subject {
		server := channeltest.NewSlackAPI(t)
		s := server.Subject(open(t, server, true), channel.Receiver{Address: user, Name: "liwei"})
		s.Inert = func(payload string) []string { return channeltest.SlackMarkup(payload, user) }
		return s
	})
}

func TestThreads(t *testing.T) {
	server := channeltest.NewSlackAPI(t)
	c := open(t, server, true)
	send := func(to channel.Receiver) string {
		t.Helper()
		if _, err := c.Send(t.Context(), channeltest.Failed("en"), to); err != nil {
			t.Fatal(err)
		}
		all := server.Accepted()
		return all[len(all)-1]
	}
	if first := send(channel.Receiver{}); strings.Contains(first, "thread_ts") || !strings.Contains(first, `"channel":"C0123456789"`) {
		t.Errorf("the first message: %s", first)
	}
	if second := send(channel.Receiver{}); !strings.Contains(second, `"thread_ts":"1795312902.000001"`) || !strings.Contains(second, `"reply_broadcast":true`) {
		t.Errorf("the second message: %s", second)
	}
	if direct := send(channel.Receiver{Address: user, Private: true}); strings.Contains(direct, "thread_ts") || !strings.Contains(direct, `"channel":"`+user+`"`) {
		t.Errorf("a direct message: got %s, want no thread, and the user as the channel", direct)
	}
}

// TestThreadIsGone deletes the first message of a thread: the next try begins another
// thread.
func TestThreadIsGone(t *testing.T) {
	server := channeltest.NewSlackAPI(t)
	c := open(t, server, true)
	c.threads.put("C0123456789 "+channeltest.Failed("en").Thread, "9999999999.000001")
	_, err := c.Send(t.Context(), channeltest.Failed("en"), channel.Receiver{})
	if e := channel.ErrorOf(err); e == nil || e.Kind != channel.Temporary {
		t.Fatalf("got %v, want a temporary error", err)
	}
	if _, err = c.Send(t.Context(), channeltest.Failed("en"), channel.Receiver{}); err != nil {
		t.Fatal(err)
	}
}

func TestThreadsAreBounded(t *testing.T) {
	var known threads
	for i := range 3 * maxThreads {
		known.put(strconv.Itoa(i), "1")
		if i%5 == 0 {
			known.drop(known.order[len(known.order)-1])
		}
	}
	if len(known.first) > maxThreads || len(known.order) > maxThreads {
		t.Errorf("%d threads, %d in order", len(known.first), len(known.order))
	}
}

func TestKinds(t *testing.T) {
	for word, want := range map[string]channel.ErrorKind{
		"ratelimited": channel.Throttled, "channel_is_archived": channel.Disabled, "no_service": channel.Disabled, "token_revoked": channel.Disabled,
		"invalid_blocks": channel.Permanent, "msg_too_long": channel.Permanent, "user_not_found": channel.Permanent, "invalid_auth": channel.Temporary,
		"channel_not_found": channel.Temporary, "thread_not_found": channel.Temporary, "unheard_of": channel.Temporary,
	} {
		if got, _ := kindOf(word); got != want {
			t.Errorf("%s: %v, want %v", word, got, want)
		}
	}
}

func TestOptions(t *testing.T) {
	for want, o := range map[string]Options{
		"missing":       {},
		"https://":      {URL: "http://hooks.slack.com/services/x"},
		"no token":      {URL: "https://hooks.slack.com/"},
		"an ID":         {Token: "xoxb-1", Conversation: "#general"},
		"must be":       {Token: "xoxb-1"},
		"printable":     {Token: "xoxb\n1", Conversation: "C012"},
		"fixed channel": {URL: "https://hooks.slack.com/services/x", Conversation: "C012"},
	} {
		_, err := New(o)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "xoxb") {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
	for _, o := range []Options{{URL: "https://hooks.slack.com/services/x"}, {Token: " xoxb-1\n", Conversation: "C012"}} {
		c, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		_ = c.Close()
	}
}

func TestCheckOfBot(t *testing.T) {
	server := channeltest.NewSlackAPI(t)
	if err := open(t, server, true).Check(t.Context()); err != nil {
		t.Error(err)
	}
	server.Token = "xoxb-another-token"
	if err := open(t, server, true).Check(t.Context()); err == nil || !strings.Contains(err.Error(), "invalid_auth") {
		t.Errorf("got error %v, want one with %q", err, "invalid_auth")
	}
}

// TestWebhookThatIsNone: HTTP 200 alone is not a success, because a proxy may have
// answered.
func TestWebhookThatIsNone(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("<html>Sign in</html>"))
	}))
	defer server.Close()
	c, err := New(Options{URL: server.URL + "/services/x", Client: channel.NewClient(channeltest.Loopback())})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err = c.Send(t.Context(), channeltest.Failed("en"), channel.Receiver{}); channel.ErrorOf(err) == nil || channel.ErrorOf(err).Kind != channel.Temporary {
		t.Errorf("got %v, want a temporary error", err)
	}
}
