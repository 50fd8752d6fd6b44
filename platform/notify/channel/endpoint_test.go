package channel

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

const token = "0bcbde3e-8960-4961-ad34-668f0e3945bb"

// serve returns the URL of a server, with a token in its path, and an Endpoint for it.
func serve(t *testing.T, handler http.HandlerFunc) (*url.URL, *Endpoint) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	u, err := ParseURL(server.URL + "/hook/" + token)
	if err != nil {
		t.Fatal(err)
	}
	return u, &Endpoint{Client: server.Client(), Timeout: 5 * time.Second, Secrets: SecretsOf(u)}
}

func TestKindsOfAnswers(t *testing.T) {
	for _, c := range []struct {
		status int
		after  string
		kind   ErrorKind
		wait   time.Duration
	}{
		{http.StatusMovedPermanently, "", Permanent, 0},
		{http.StatusTemporaryRedirect, "", Permanent, 0},
		{http.StatusBadRequest, "", Permanent, 0},
		{http.StatusUnauthorized, "", Permanent, 0},
		{http.StatusNotFound, "", Permanent, 0},
		{http.StatusRequestTimeout, "", Temporary, 0},
		{http.StatusTooEarly, "", Temporary, 0},
		{http.StatusGone, "", Disabled, 0},
		{http.StatusTooManyRequests, "", Throttled, 0},
		{http.StatusTooManyRequests, "30", Throttled, 30 * time.Second},
		{http.StatusTooManyRequests, "0.5", Throttled, 500 * time.Millisecond},
		{http.StatusTooManyRequests, "-5", Throttled, 0},
		{http.StatusTooManyRequests, "1e300", Throttled, 24 * time.Hour},
		{http.StatusTooManyRequests, "NaN", Throttled, 0},
		{http.StatusTooManyRequests, "soon", Throttled, 0},
		{http.StatusInternalServerError, "", Temporary, 0},
		{http.StatusBadGateway, "", Throttled, 0},
		{http.StatusServiceUnavailable, "", Temporary, 0},
		{http.StatusServiceUnavailable, "7", Throttled, 7 * time.Second},
		{http.StatusGatewayTimeout, "", Throttled, 0},
	} {
		to, e := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "/elsewhere")
			if c.after != "" {
				w.Header().Set("Retry-After", c.after)
			}
			w.WriteHeader(c.status)
			_, _ = w.Write([]byte("no: " + r.URL.Path))
		})
		answer, err := e.Post(t.Context(), to, nil, []byte("{}"))
		if err != nil {
			t.Fatalf("status %d: got error %v, want an answer", c.status, err)
		}
		got := ErrorOf(answer.Err())
		if got == nil || got.Kind != c.kind || got.RetryAfter != c.wait {
			t.Errorf("%d, Retry-After %q: %+v, want %v after %v", c.status, c.after, got, c.kind, c.wait)
		} else if strings.Contains(got.Error(), token) {
			t.Errorf("%d: the error shows the token: %v", c.status, got)
		}
	}
}

func TestRetryAfterAsDate(t *testing.T) {
	now := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		now.Add(time.Minute).Format(http.TimeFormat):  time.Minute,
		now.Add(-time.Minute).Format(http.TimeFormat): 0,
		now.AddDate(1, 0, 0).Format(http.TimeFormat):  24 * time.Hour,
		"":                       0,
		strings.Repeat("9", 400): 24 * time.Hour,
		now.Add(time.Minute).Format(time.RFC3339):      0,
		now.Add(time.Second * 2).Format(time.RFC850):   2 * time.Second,
		now.Add(time.Second * 3).Format(time.ANSIC):    3 * time.Second,
		" " + now.Add(time.Minute).Format(time.RFC822): 0,
	} {
		a := &Answer{Header: http.Header{"Retry-After": {value}}}
		if got := a.RetryAfter(now); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
}

func TestErrorsWithoutAnswer(t *testing.T) {
	t.Run("canceled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		to, e := serve(t, func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // otherwise the server does not notice that the client disconnected
			cancel()
			<-r.Context().Done()
		})
		_, err := e.Post(ctx, to, nil, []byte("{}"))
		if !errors.Is(err, context.Canceled) || ErrorOf(err).Kind != Temporary || strings.Contains(err.Error(), token) {
			t.Fatalf("got %v, want a temporary error of the canceled context, without the token", err)
		}
	})
	t.Run("timeout", func(t *testing.T) {
		to, e := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		e.Timeout = 50 * time.Millisecond
		_, err := e.Post(t.Context(), to, nil, nil)
		if !errors.Is(err, context.DeadlineExceeded) || ErrorOf(err).Kind != Temporary {
			t.Fatalf("got %v, want a temporary error by the deadline", err)
		}
	})
	t.Run("the answer breaks off", func(t *testing.T) {
		to, e := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("half"))
		})
		if _, err := e.Post(t.Context(), to, nil, nil); err == nil || ErrorOf(err).Kind != Temporary {
			t.Fatalf("half an answer: got %v, want a temporary error", err)
		}
	})
	t.Run("nobody listens", func(t *testing.T) {
		to, e := serve(t, nil)
		to.Host = "127.0.0.1:1"
		_, err := e.Post(t.Context(), to, nil, nil)
		var u *url.Error
		if err == nil || errors.As(err, &u) || strings.Contains(err.Error(), token) {
			t.Fatalf("got %v, want an error without a URL and without the token", err)
		}
	})
	t.Run("without known secrets", func(t *testing.T) {
		to, e := serve(t, nil)
		to.Host, e.Secrets = "127.0.0.1:1", nil
		_, err := e.Post(t.Context(), to, nil, nil)
		var u *url.Error
		if err == nil || errors.As(err, &u) || strings.Contains(err.Error(), token) {
			t.Fatalf("got %v, want an error without a URL and without the token", err)
		}
	})
	t.Run("the client refuses", func(t *testing.T) {
		to, e := serve(t, nil)
		refusal := errors.New("169.254.169.254 is link-local")
		e.Client = &http.Client{Transport: refuser{&Error{Kind: Permanent, Err: refusal}}}
		_, err := e.Post(t.Context(), to, nil, nil)
		if ErrorOf(err).Kind != Permanent || !errors.Is(err, refusal) {
			t.Fatalf("got %v, want a permanent error with the refusal", err)
		}
	})
}

type refuser struct{ err error }

func (r refuser) RoundTrip(*http.Request) (*http.Response, error) { return nil, r.err }

func TestAnswersAreBounded(t *testing.T) {
	to, e := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(strings.Repeat("x", 10*maxAnswer)))
	})
	answer, err := e.Get(t.Context(), to, nil)
	if err != nil || len(answer.Body) != maxAnswer {
		t.Fatalf("got %d bytes and error %v, want %d bytes", len(answer.Body), err, maxAnswer)
	}
	if text := answer.Fail(Permanent, "code 1", string(answer.Body)).Error(); len(text) > 3*maxQuoted {
		t.Errorf("the error has %d bytes", len(text))
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	asked := 0
	to, e := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked++
		http.Redirect(w, r, "/again", http.StatusTemporaryRedirect)
	})
	answer, err := e.Post(t.Context(), to, nil, []byte("{}"))
	if err != nil || answer.Status != http.StatusTemporaryRedirect || asked != 1 {
		t.Fatalf("asked %d times: got %+v and error %v, want status 307 after one request", asked, answer, err)
	}
}

func TestReachSendsNoMessage(t *testing.T) {
	to, e := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodHead || r.URL.Path != "/" || r.URL.RawQuery != "" {
			t.Errorf("got %s %s, want HEAD / without a query", r.Method, r.URL)
		}
		w.WriteHeader(http.StatusNotFound)
	})
	to.RawQuery = "key=" + token
	if answer, err := e.Reach(t.Context(), to); err != nil || answer.Status != http.StatusNotFound {
		t.Fatalf("got %+v and error %v, want status 404", answer, err)
	}
}

func TestSecretsAreHidden(t *testing.T) {
	u, err := ParseURL("https://user:pass%2Fword@host.example/hook/" + token + "?key=a%2Bb+c%3D&x=1")
	if err != nil {
		t.Fatal(err)
	}
	secrets := append(SecretsOf(u), `quo"te\d`, "abc")
	for _, text := range []string{
		u.String(), u.Path, u.RawQuery, token, "a+b c=", "a%2Bb+c%3D", "pass/word", "pass%2Fword",
		`{"secret":"quo\"te\\d"}`, `quo"te\d`,
	} {
		got := Hide("before "+text+" after", secrets...)
		for _, s := range []string{token, "a+b", "a%2Bb", "pass/", "pass%2F", "te\\d"} {
			if strings.Contains(got, s) {
				t.Errorf("%q: %q shows %q, want it hidden", text, got, s)
			}
		}
		if !strings.HasPrefix(got, "before ") || !strings.HasSuffix(got, " after") {
			t.Errorf("%q: got %q, want the words before and after unchanged", text, got)
		}
	}
	if got := Hide("abcdefgh", "abcd", "abcdefgh"); got != "[secret]" {
		t.Errorf("a secret that contains another: %q", got)
	}
	if got := Hide("abc x=1", secrets...); got != "abc x=1" {
		t.Errorf("a short secret was hidden: %q", got)
	}
}

func TestParseURL(t *testing.T) {
	for raw, want := range map[string]string{
		"https://host.example/" + token:           "",
		"http://127.0.0.1:80/" + token:            "",
		"http://[::1]/" + token:                   "",
		"http://localhost/" + token:               "",
		"":                                        "missing",
		"http://host.example/" + token:            "https://",
		"http://127.0.0.1.example/" + token:       "https://",
		"ftp://localhost/" + token:                "https://",
		"https:///" + token:                       "no host",
		"https://host.example/" + token + "#x":    "fragment",
		"https://host.example/%zz" + token:        "invalid",
		"https://host.example:port" + token + "/": "invalid",
		"\x7f" + token:                            "invalid",
	} {
		_, err := ParseURL(raw)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", raw, err, want)
		}
		if err != nil && strings.Contains(err.Error(), token) {
			t.Errorf("%q: the error shows the token: %v", raw, err)
		}
	}
}
