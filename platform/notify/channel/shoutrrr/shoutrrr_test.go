package shoutrrr

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/message"
)

var loopback = channel.Guard{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}

func failed() *message.Message {
	return &message.Message{
		ID: "key", Kind: message.Failed, State: job.Failed, Title: "Failed, OOMKilled: llama3-70b_v4", Name: "llama3-70b_v4", Sentence: "Worker 2 used *all* of its memory. @all",
		Facts: []message.Fact{{Label: "Queue", Value: "gpu-h100"}}, URL: "https://vedette.example/jobs/gpu-west/0bcbde3e?a=b_c", Footer: message.Footer{Mute: message.Link{Text: "Mute", URL: "https://vedette.example/mute"}},
	}
}

// got is a request that a service received.
type got struct {
	path   string
	header http.Header
	body   string
}

// fake is a service that keeps requests, and answers as answer says.
type fake struct {
	*httptest.Server
	mu       sync.Mutex
	requests []got
	answer   func(w http.ResponseWriter, r *http.Request, body string)
}

func serve(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, body string)) *fake {
	t.Helper()
	f := &fake{answer: answer}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		f.mu.Lock()
		f.requests = append(f.requests, got{r.URL.Path + "?" + r.URL.RawQuery, r.Header.Clone(), string(body)})
		f.mu.Unlock()
		f.answer(w, r, string(body))
	}))
	t.Cleanup(f.Close)
	return f
}

func (f *fake) all() []got {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]got(nil), f.requests...)
}

func (f *fake) host() string { return strings.TrimPrefix(f.URL, "http://") }

func open(t *testing.T, raw string) *Channel {
	t.Helper()
	c, err := New(Options{URL: raw, Guard: loopback})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

const token = "As3cr3tTOKEN123" // as Gotify demands it: 15 characters, the first one A

// TestServices: services get title, text and link in the form of their protocols.
func TestServices(t *testing.T) {
	f := serve(t, func(w http.ResponseWriter, r *http.Request, body string) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/message"): // Gotify
			var m struct{ Message, Title string }
			if json.Unmarshal([]byte(body), &m) != nil || m.Message == "" || r.URL.Query().Get("token") != token {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			_, _ = io.WriteString(w, `{"id":1,"message":"x"}`)
		case r.URL.Path == "/jobs": // ntfy
			_, _ = io.WriteString(w, `{"id":"x","event":"message"}`)
		case r.URL.Path == "/hooks/"+token: // Mattermost
			var m struct{ Text string }
			if json.Unmarshal([]byte(body), &m) != nil || m.Text == "" {
				w.WriteHeader(http.StatusBadRequest)
			}
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	})
	for _, c := range []struct{ name, raw, title, text string }{
		{"gotify", "gotify://" + f.host() + "/" + token + "?disabletls=yes", "Failed, OOMKilled: llama3-70b_v4", "used *all* of its memory. ＠all"},
		{"ntfy", "ntfy://" + f.host() + "/jobs?scheme=http", "Failed, OOMKilled: llama3-70b_v4", "used *all* of its memory. ＠all"},
		{"mattermost", "mattermost://" + f.host() + "/" + token + "?disabletls=yes", "", "Failed, OOMKilled: llama3-70b"},
	} {
		ch := open(t, c.raw)
		before := len(f.all())
		r, err := ch.Send(t.Context(), failed(), channel.Receiver{})
		if err != nil || r.Status != "taken by "+c.name {
			t.Errorf("%s: got %+v and error %v, want taken by %s", c.name, r, err, c.name)
			continue
		}
		all := f.all()[before:]
		if len(all) != 1 {
			t.Errorf("%s: got %d requests, want 1", c.name, len(all))
			continue
		}
		body, title := all[0].body, all[0].header.Get("Title")
		if c.name != "ntfy" {
			var m struct{ Message, Text, Title string }
			if err := json.Unmarshal([]byte(body), &m); err != nil {
				t.Fatal(err)
			}
			body, title = m.Message+m.Text, m.Title
		}
		if title != c.title || !strings.Contains(body, c.text) || !strings.Contains(body, "\nQueue: gpu-h100\n") || !strings.Contains(body, "https://vedette.example/jobs/gpu-west/0bcbde3e?a=b_c\n") {
			t.Errorf("%s: got title %q and text %q, want title %q and %q, the queue and the link", c.name, title, body, c.title, c.text)
		}
		if err := ch.Check(t.Context()); err != nil || len(f.all()) != before+1+1 || f.all()[before+1].body != "" {
			t.Errorf("%s: Check: got %v, want one request without a text", c.name, err)
		}
	}
}

// TestAnswers: codes have their kinds, the library retries nothing and follows no
// redirect, and no error shows the URL.
func TestAnswers(t *testing.T) {
	for code, kind := range map[int]channel.ErrorKind{
		301: channel.Permanent, 307: channel.Permanent, 400: channel.Permanent, 401: channel.Permanent, 429: channel.Throttled, 500: channel.Temporary, 503: channel.Throttled,
	} {
		var f *fake
		f = serve(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
			w.Header().Set("Retry-After", "40")
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(code)
			_, _ = io.WriteString(w, "bad token "+token+" at "+f.URL+"/"+token)
		})
		for _, raw := range []string{
			"gotify://" + f.host() + "/" + token + "?disabletls=yes", "ntfy://user:" + token + "@" + f.host() + "/jobs?scheme=http", "mattermost://" + f.host() + "/" + token + "?disabletls=yes",
		} {
			before := len(f.all())
			_, err := open(t, raw).Send(t.Context(), failed(), channel.Receiver{})
			e := channel.ErrorOf(err)
			if e == nil || e.Kind != kind || strings.Contains(err.Error(), token) || code == 429 && e.RetryAfter != 40*time.Second {
				t.Errorf("%d of %s: %v", code, raw, err)
			}
			if n := len(f.all()) - before; n != 1 {
				t.Errorf("%d of %s: %d requests", code, raw, n)
			}
		}
	}
}

// TestOwnNetworkIsRefused: guarded and checked services reach only addresses that the
// guard allows.
func TestOwnNetworkIsRefused(t *testing.T) {
	f := serve(t, func(http.ResponseWriter, *http.Request, string) {})
	_, port, err := net.SplitHostPort(f.host())
	if err != nil {
		t.Fatal(err)
	}
	for _, raw := range []string{
		"gotify://" + f.host() + "/" + token + "?disabletls=yes", "ntfy://" + f.host() + "/jobs?scheme=http", "mattermost://localhost:" + port + "/" + token + "?disabletls=yes",
		"rocketchat://" + f.host() + "/" + token + "/" + token, "matrix://:" + token + "@" + f.host() + "/?rooms=!a:b&disableTLS=yes", "signal://" + f.host() + "/+15551234567/+15551234568?disabletls=yes",
		"bark://:" + token + "@" + f.host() + "/?scheme=http", "gotify://169.254.169.254/" + token + "?disabletls=yes", "ntfy://169.254.169.254/latest?scheme=http", "matrix://:" + token + "@169.254.169.254/",
	} {
		c, err := New(Options{URL: raw})
		if err != nil {
			t.Errorf("%s: got %v, want the URL accepted", raw, err)
			continue
		}
		for _, err := range []error{c.Check(t.Context()), second(c.Send(t.Context(), failed(), channel.Receiver{}))} {
			var refused *channel.RefusedError
			if e := channel.ErrorOf(err); e == nil || e.Kind != channel.Permanent || !errors.As(err, &refused) {
				t.Errorf("%s: got %v, want a permanent error: the address is refused", raw, err)
			}
		}
		_ = c.Close()
	}
	if n := len(f.all()); n != 0 {
		t.Errorf("%d requests arrived, want none", n)
	}
}

func second[T any](_ T, err error) error { return err }

// TestFixedHostsUseTheGuard: Discord, Telegram and Pushover use our client too: names with
// a private address are refused.
func TestFixedHostsUseTheGuard(t *testing.T) {
	resolver := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("no DNS today") }}
	for _, raw := range []string{"discord://" + token + "@12345678901234567", "telegram://110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw@telegram?channels=@jobs", "pushover://:" + token + "@" + token + "/"} {
		c, err := New(Options{URL: raw, Guard: channel.Guard{Resolver: resolver}})
		if err != nil {
			t.Errorf("%s: got %v, want the URL accepted", raw, err)
			continue
		}
		_, err = c.Send(t.Context(), failed(), channel.Receiver{})
		if e := channel.ErrorOf(err); e == nil || !strings.Contains(err.Error(), "no DNS today") || strings.Contains(err.Error(), token) || strings.Contains(err.Error(), "AAHdq") {
			t.Errorf("%s: got %v, want the error of the resolver, without the token", raw, err)
		}
		_ = c.Close()
	}
}

// TestStalledService: Send ends with its context and leaks no goroutine, and the next
// message can be sent.
func TestStalledService(t *testing.T) {
	var stall sync.Map
	f := serve(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		if _, ok := stall.Load("on"); ok {
			<-r.Context().Done()
			return
		}
		if strings.HasPrefix(r.URL.Path, "/message") {
			_, _ = io.WriteString(w, `{"id":1}`)
			return
		}
		_, _ = io.WriteString(w, `{"id":"x"}`)
	})
	for _, raw := range []string{"gotify://" + f.host() + "/" + token + "?disabletls=yes", "ntfy://" + f.host() + "/jobs?scheme=http", "mattermost://" + f.host() + "/" + token + "?disabletls=yes"} {
		stall.Store("on", true)
		c := open(t, raw)
		patience.Until(t, raw+": Send ends before the library gives up, which takes 10 s each time", func() string {
			start := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond) // an input: the time that Send has
			_, err := c.Send(ctx, failed(), channel.Receiver{})
			cancel()
			if e := channel.ErrorOf(err); e == nil || e.Kind != channel.Temporary || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: got %v, want a temporary error by the deadline", raw, err)
			}
			if took := time.Since(start); took > 5*time.Second {
				return fmt.Sprintf("it took %v", took)
			}
			return ""
		})
		stall.Delete("on")
		if _, err := c.Send(t.Context(), failed(), channel.Receiver{}); err != nil {
			t.Errorf("%s: afterwards: %v", raw, err)
		}
		c.turn <- struct{}{} // waits for the goroutine of the library
	}
}

// TestPanicOfTheLibrary: a panic fails one try.
func TestPanicOfTheLibrary(t *testing.T) {
	resolver := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("no DNS today") }}
	c, err := New(Options{URL: "zulip://bot%40example.com:" + token + "@nowhere.invalid/?stream=jobs", Guard: channel.Guard{Resolver: resolver}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	ctx := patience.Context(t, "the errors of the library")
	if err := c.send(ctx, "text", nil); err == nil || !strings.Contains(err.Error(), "failed") {
		t.Errorf("got error %v, want one with %q", err, "failed")
	}
	if _, err := c.Send(ctx, failed(), channel.Receiver{}); channel.ErrorOf(err) == nil || channel.ErrorOf(err).Kind != channel.Temporary {
		t.Errorf("got %v, want a temporary error", err)
	}
}

// TestNewRefuses: errors name the mistake and show no secret.
func TestNewRefuses(t *testing.T) {
	for _, raw := range []string{
		"", "s3cr3t", "://s3cr3t", "slack://s3cr3t", "lark://s3cr3t", "smtp://s3cr3t@h/", "generic://s3cr3t", "nothing://s3cr3t", "ntfy://s3cr3t", "telegram://s3cr3t@telegram",
		"telegram://110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw@telegram?channels=@jobs&parseMode=HTML", "gotify://h/" + token + "?insecureskipverify=yes", "ntfy://h/jobs?DisableTLSVerification=yes", "discord://s3cr3t@1?json=yes",
	} {
		if c, err := New(Options{URL: raw}); err == nil || strings.Contains(err.Error(), "s3cr3t") || strings.Contains(err.Error(), "AAHdq") {
			t.Errorf("%q: got %v and error %v, want an error without the secret", raw, c, err)
		}
	}
}

// TestText: a text is within the limits of its service and keeps title and links. Users'
// text is not markup in services that parse Markdown.
func TestText(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		words := rapid.Map(rapid.OneOf(rapid.String(), rapid.StringN(0, 300, 900), rapid.SampledFrom([]string{"@everyone", "[x](https://evil.example)", "**b**", "<@123>", "`code`"})), message.Clean)
		m := failed()
		m.Title, m.Sentence = words.Draw(t, "title"), words.Draw(t, "sentence")
		for range rapid.IntRange(0, 6).Draw(t, "facts") {
			m.Facts = append(m.Facts, message.Fact{Label: words.Draw(t, "label"), Value: words.Draw(t, "value")})
		}
		for name, s := range services {
			title, text := textOf(m, &s)
			if utf8.RuneCountInString(text) > s.limit || utf8.RuneCountInString(title) > maxTitle || title == "" || !utf8.ValidString(text) {
				t.Fatalf("%s: got title %q and text %q, want valid text within the limits", name, title, text)
			}
			if !strings.Contains(text, m.URL) || !strings.Contains(text, m.Footer.Mute.URL) || strings.Contains(title+text, "@") {
				t.Fatalf("%s: got title %q and text %q, want both links, and nobody mentioned", name, title, text)
			}
			if rest := strings.ReplaceAll(text, channel.LinkTarget(m.URL), ""); s.markup && (strings.ContainsAny(title+rest, "[]`<>") || strings.Contains(title+rest, "**")) {
				t.Fatalf("%s: got title %q and text %q, want no markup", name, title, text)
			}
		}
	})
	if u, err := url.Parse(failed().URL); err != nil || u.Host == "" {
		t.Fatal(err)
	}
}
