package jobtrace_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/vedette-io/vedette/platform/send/jobtrace"
)

// answers is a transport that returns one response after another, and repeats the last one.
type answers struct {
	all   []func() (*http.Response, error)
	asked []time.Time
	sent  []*http.Request
}

// RoundTrip implements http.RoundTripper.
func (a *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	a.asked, a.sent = append(a.asked, time.Now()), append(a.sent, r)
	next := a.all[0]
	if len(a.all) > 1 {
		a.all = a.all[1:]
	}
	return next()
}

// code returns an answer with a code and a header in pairs.
func code(code int, body string, header ...string) func() (*http.Response, error) {
	return func() (*http.Response, error) {
		h := http.Header{}
		for pair := range slices.Chunk(header, 2) {
			h.Set(pair[0], pair[1])
		}
		return &http.Response{StatusCode: code, Header: h, Body: io.NopCloser(strings.NewReader(body))}, nil
	}
}

// TestRetryAfter: the exporter waits as long as the collector requests, in seconds or by a
// date, and otherwise longer with every failure.
func TestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		date := time.Now().Add(time.Minute + 20*time.Second).UTC().Format(http.TimeFormat)
		a := &answers{all: []func() (*http.Response, error){
			code(429, "", "Retry-After", "60"), code(503, "", "Retry-After", date), code(503, "", "Retry-After", "999999999"),
			code(502, ""), func() (*http.Response, error) { return nil, errors.New("no route") }, code(200, ""),
		}}
		log := &lines{}
		s := jobtrace.NewSender(a, nil, log.logger())
		defer s.Stop()
		if err := s.Send(t.Context(), []*trace.ResourceSpans{{}}); err != nil {
			t.Fatal(err)
		}
		for i, want := range [][2]time.Duration{{60 * time.Second, 61 * time.Second}, {18 * time.Second, 21 * time.Second}, {10 * time.Minute, 11 * time.Minute}, {time.Second, 2 * time.Second}, {2 * time.Second, 4 * time.Second}} {
			if waited := a.asked[i+1].Sub(a.asked[i]); waited < want[0] || waited > want[1] {
				t.Errorf("waited %v after answer %d, want %v", waited, i, want)
			}
		}
		if got := s.Stats(); got.Traces != 1 || got.Retries != 5 || !got.FailingSince.IsZero() {
			t.Errorf("got %+v, want one trace after 5 retries, and no fault left", got)
		}
	})
}

// TestEndsWhileItWaits: a wait ends with its context.
func TestEndsWhileItWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := jobtrace.NewSender(&answers{all: []func() (*http.Response, error){code(503, "", "Retry-After", "600")}}, nil, new(lines).logger())
		defer s.Stop()
		why := errors.New("over")
		ctx, cancel := context.WithCancelCause(t.Context())
		began := time.Now()
		time.AfterFunc(time.Second, func() { cancel(why) })
		if err := s.Send(ctx, nil); !errors.Is(err, why) || time.Since(began) != time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

// TestFaultIsLoggedOnce: an hour without a collector gives one line, and its return
// another one. Neither contains a secret, and a wrong token drops nothing.
func TestFaultIsLoggedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &answers{all: []func() (*http.Response, error){code(401, "hunter2")}}
		log := &lines{}
		s := jobtrace.NewSender(a, http.Header{"Api-Key": {"hunter2"}}, log.logger())
		defer s.Stop()
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if err := s.Send(ctx, []*trace.ResourceSpans{{}}); err == nil {
			t.Error("it was sent")
		}
		a.all = []func() (*http.Response, error){code(200, "")}
		if err := s.Send(t.Context(), []*trace.ResourceSpans{{}}); err != nil {
			t.Error(err)
		}
		time.AfterFunc(time.Minute, cancel)
		synctest.Wait()
		<-time.After(time.Minute)
		if log.count("cannot export traces") != 1 || log.count("exporting traces again") != 1 || log.count("401 Unauthorized") != 1 || log.count("hunter2") != 0 {
			t.Errorf("want the fault and its end logged once, without the secret, got\n%v", log)
		}
		if got := a.sent[0].Header.Get("Api-Key"); got != "hunter2" || len(a.sent) < 50 {
			t.Errorf("got header %q after %d requests", got, len(a.sent))
		}
		if got := s.Stats(); got.Traces != 1 || got.Refused != 0 {
			t.Errorf("got %+v, want one trace, none refused", got)
		}
	})
}

// TestRedirect: a redirect is not followed, because it would send the header to another
// server.
func TestRedirect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &answers{all: []func() (*http.Response, error){code(307, "", "Location", "http://elsewhere/v1/traces"), code(200, "")}}
		s := jobtrace.NewSender(a, http.Header{"Api-Key": {"hunter2"}}, new(lines).logger())
		defer s.Stop()
		if err := s.Send(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		for _, r := range a.sent {
			if r.URL.Host != "collector" {
				t.Errorf("a redirect led to %v", r.URL)
			}
		}
	})
}

// TestCompression: requests are compressed until a collector rejects gzip; the same traces
// are then sent uncompressed immediately.
func TestCompression(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &answers{all: []func() (*http.Response, error){code(200, ""), code(415, ""), code(200, "")}}
		s := jobtrace.NewSender(a, nil, new(lines).logger())
		defer s.Stop()
		began := time.Now()
		for range 3 {
			if err := s.Send(t.Context(), []*trace.ResourceSpans{{SchemaUrl: strings.Repeat("a", 1000)}}); err != nil {
				t.Fatal(err)
			}
		}
		for i, want := range []string{"gzip", "gzip", "", ""} {
			if got := a.sent[i].Header.Get("Content-Encoding"); got != want || (a.sent[i].ContentLength < 500) != (want == "gzip") {
				t.Errorf("request %d: got encoding %q and %d bytes, want %q", i, got, a.sent[i].ContentLength, want)
			}
		}
		if got := s.Stats(); got.Traces != 3 || got.Retries != 0 || len(a.sent) != 4 || !time.Now().Equal(began) {
			t.Errorf("got %+v after %d requests, want 3 traces, 4 requests, no retries and no wait", got, len(a.sent))
		}
		a.all = a.all[:0]
		a.all = append(a.all, code(415, ""), code(200, ""))
		if err := s.Send(t.Context(), []*trace.ResourceSpans{{}}); err != nil || s.Stats().Refused != 0 {
			t.Errorf("415 without gzip is a fault of the settings: %v, %+v", err, s.Stats())
		}
	})
}

// TestPartialSuccess: spans that a collector rejects in an accepted request are counted,
// logged, and not sent again.
func TestPartialSuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		part := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 3)
		part = protowire.AppendString(protowire.AppendTag(part, 2, protowire.BytesType), "too old\x1b[2J")
		body := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), part)
		a := &answers{all: []func() (*http.Response, error){code(200, string(body), "Content-Type", "application/x-protobuf")}}
		log := &lines{}
		s := jobtrace.NewSender(a, nil, log.logger())
		defer s.Stop()
		if err := s.Send(t.Context(), []*trace.ResourceSpans{{}}); err != nil {
			t.Fatal(err)
		}
		if got := s.Stats(); got.Rejected != 3 || got.Traces != 1 || len(a.sent) != 1 || log.count("too old") != 1 || log.count("\x1b") != 0 {
			t.Errorf("got %+v, %d requests and the log\n%v\nwant 3 spans rejected, one request and one line", got, len(a.sent), log)
		}
	})
}

// FuzzPartialSuccess: no answer of a collector causes a panic.
func FuzzPartialSuccess(f *testing.F) {
	f.Add([]byte{10, 4, 8, 3, 18, 0})
	f.Add([]byte{10, 255, 255, 255, 255, 15})
	f.Fuzz(func(t *testing.T, body []byte) {
		rejected, message := jobtrace.PartialSuccess(body)
		if rejected < 0 || len(message) > 3*jobtrace.MaxText {
			t.Errorf("rejected %d, message of %d bytes; want no negative number and a short message", rejected, len(message))
		}
	})
}
