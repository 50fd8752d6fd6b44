package webhook

import (
	"context"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/message"
)

var (
	hmacKey  = "whsec_" + base64.StdEncoding.EncodeToString([]byte("0123456789abcdef0123456789abcdef"))
	nextKey  = "whsec_" + base64.StdEncoding.EncodeToString([]byte("fedcba9876543210fedcba9876543210"))
	edSecret = ed25519.NewKeyFromSeed([]byte("seed-of-32-bytes-seed-of-32-byte"))
	edKey    = "whsk_" + base64.StdEncoding.EncodeToString(edSecret)
)

// failed is a typical failure.
func failed() *message.Message {
	code, waited, ran := 137, 2592*time.Second, 10512*time.Second
	at := time.Date(2026, 11, 22, 2, 21, 42, 108e6, time.UTC)
	return &message.Message{
		ID:   "gpu-west/0bcbde3e-8960-4961-ad34-668f0e3945bb/48377/Failed/my-failures/ops-hook",
		Kind: message.Failed, State: job.Failed, Happened: at, Rule: "my failures", URL: "https://vedette.example/jobs/gpu-west/0bcbde3e",
		Title: "Failed, OOMKilled: llama3-70b-dpo-mix-v4-seed-1337", Sentence: "Worker 2 used all of its 480 GiB of memory on gpu-h100-17 and was killed.",
		Log: []string{"WARN shuffle_buffer", "Killed"},
		Notice: &message.Notice{
			Kind: message.Failed, From: job.Running, To: job.Failed, Reason: "BackoffLimitExceeded", Message: "Job has reached the specified backoff limit", Happened: at,
			Job:   message.Job{Cluster: "gpu-west", Type: "pytorchjobs.kubeflow.org", Namespace: "team-llm", Name: "llama3-70b-dpo-mix-v4-seed-1337", UID: "0bcbde3e-8960-4961-ad34-668f0e3945bb", Queue: "gpu-h100", Owner: "liwei", GPUs: 32, Nodes: 4},
			Cause: message.Cause{Reason: message.OOMKilled, ExitCode: &code, Node: "gpu-h100-17"}, Attempt: 3, Attempts: 3, Waited: &waited, Ran: &ran,
		},
	}
}

// request is what a receiver got.
type request struct {
	header http.Header
	body   []byte
}

// receiver starts a server that answers with a function, and keeps the requests.
func receiver(t *testing.T, answer http.HandlerFunc) (url string, got func() []request) {
	t.Helper()
	requests := make(chan request, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil && r.Method == http.MethodPost {
			requests <- request{r.Header.Clone(), body}
		}
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/hooks/s3cr3tpath", func() (all []request) {
		for len(requests) > 0 {
			all = append(all, <-requests)
		}
		return all
	}
}

func ok(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }

// open returns a channel that may connect to this machine.
func open(t *testing.T, o Options) *Channel {
	t.Helper()
	if o.Client == nil {
		o.Client = channel.NewClient(channel.Guard{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	}
	if o.Keys == nil {
		o.Keys = []string{hmacKey}
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// verify checks a request by the specification, independently of the sender's code. It
// returns the versions of the valid signatures.
func verify(r request, secret []byte, public ed25519.PublicKey, now time.Time) (versions []string, err error) {
	id, stamp := r.header.Get("webhook-id"), r.header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return nil, fmt.Errorf("the timestamp %q is wrong", stamp)
	}
	if id == "" || strings.ContainsAny(id, ". \"") || len(id) > 255 {
		return nil, fmt.Errorf("the id %q is wrong", id)
	}
	signed := id + "." + stamp + "." + string(r.body)
	for part := range strings.SplitSeq(r.header.Get("webhook-signature"), " ") {
		version, encoded, _ := strings.Cut(part, ",")
		signature, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			return nil, err
		}
		mac := hmac.New(sha256.New, secret)
		_, _ = io.WriteString(mac, signed)
		if version == "v1" && hmac.Equal(signature, mac.Sum(nil)) || version == "v1a" && ed25519.Verify(public, []byte(signed), signature) {
			versions = append(versions, version)
		}
	}
	return versions, nil
}

// TestSignatures: the verifier of the Standard Webhooks project and verify accept every
// message, with the old key and the new one. They reject a changed byte.
func TestSignatures(t *testing.T) {
	url, got := receiver(t, ok)
	c := open(t, Options{URL: url, Keys: []string{hmacKey, nextKey, edKey}})
	if r, err := c.Send(t.Context(), failed(), channel.Receiver{}); err != nil || r.Status != "HTTP 204" {
		t.Fatalf("got %+v and error %v, want HTTP 204", r, err)
	}
	r := got()[0]
	for _, key := range []string{hmacKey, nextKey} {
		library, err := standardwebhooks.NewWebhook(key)
		if err != nil {
			t.Fatal(err)
		}
		if err := library.Verify(r.body, r.header); err != nil {
			t.Errorf("the library refuses the signature: %v", err)
		}
		if err := library.Verify(append(r.body, ' '), r.header); err == nil {
			t.Error("the library accepts another body")
		}
	}
	public := edSecret.Public().(ed25519.PublicKey)
	versions, err := verify(r, []byte("0123456789abcdef0123456789abcdef"), public, time.Now())
	if err != nil || strings.Join(versions, " ") != "v1 v1a" {
		t.Errorf("%v, %v, want v1 and v1a", versions, err)
	}
	r.header.Set("webhook-id", r.header.Get("webhook-id")+"x")
	if versions, _ := verify(r, []byte("0123456789abcdef0123456789abcdef"), public, time.Now()); len(versions) != 0 {
		t.Errorf("another id has the signatures %v", versions)
	}
}

// TestRepeatHasTheSameID: a second try has the same id and body, and its own time.
func TestRepeatHasTheSameID(t *testing.T) {
	url, got := receiver(t, ok)
	c := open(t, Options{URL: url, Headers: map[string]string{"Authorization": "Bearer abc"}})
	for range 2 {
		if _, err := c.Send(t.Context(), failed(), channel.Receiver{}); err != nil {
			t.Fatal(err)
		}
	}
	all := got()
	if len(all) != 2 || all[0].header.Get("webhook-id") != all[1].header.Get("webhook-id") || string(all[0].body) != string(all[1].body) {
		t.Errorf("got %+v, want two requests with one ID and one body", all)
	}
	if all[0].header.Get("webhook-id") != failed().ID || all[0].header.Get("Authorization") != "Bearer abc" || all[0].header.Get("Content-Type") != "application/cloudevents+json; charset=utf-8" {
		t.Errorf("got headers %v, want the ID, the token and the type of CloudEvents", all[0].header)
	}
}

// TestAnswers: each code has the kind that the specification requires.
func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		code   int
		header [2]string
		kind   channel.ErrorKind
		after  time.Duration
	}{
		{code: 301, header: [2]string{"Location", "/elsewhere"}, kind: channel.Temporary},
		{code: 304, kind: channel.Temporary},
		{code: 400, kind: channel.Temporary},
		{code: 401, kind: channel.Temporary},
		{code: 404, kind: channel.Temporary},
		{code: 400, header: [2]string{"Webhook-Delivery", "abort-message"}, kind: channel.Permanent},
		{code: 410, kind: channel.Disabled},
		{code: 429, header: [2]string{"Retry-After", "17"}, kind: channel.Throttled, after: 17 * time.Second},
		{code: 429, kind: channel.Throttled},
		{code: 500, kind: channel.Temporary},
		{code: 502, kind: channel.Throttled},
		{code: 503, header: [2]string{"Retry-After", "99999999999"}, kind: channel.Throttled, after: 24 * time.Hour},
		{code: 503, kind: channel.Temporary},
		{code: 504, kind: channel.Throttled},
	} {
		var requests atomic.Int64
		url, _ := receiver(t, func(w http.ResponseWriter, _ *http.Request) {
			requests.Add(1)
			if c.header[0] != "" {
				w.Header().Set(c.header[0], c.header[1])
			}
			w.WriteHeader(c.code)
		})
		_, err := open(t, Options{URL: url}).Send(t.Context(), failed(), channel.Receiver{})
		e := channel.ErrorOf(err)
		if e == nil || e.Kind != c.kind || e.RetryAfter != c.after || requests.Load() != 1 || strings.Contains(e.Error(), "s3cr3t") {
			t.Errorf("%d: %v of kind %v, after %v, %d requests", c.code, err, e.Kind, e.RetryAfter, requests.Load())
		}
	}
}

// TestFaults: a closed connection, a body that never ends and a huge body do not block the
// sender, and no error shows the URL.
func TestFaults(t *testing.T) {
	hang := make(chan struct{})
	for name, answer := range map[string]http.HandlerFunc{
		"cut": func(w http.ResponseWriter, _ *http.Request) {
			connection, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_ = connection.Close()
			}
		},
		"silent": func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-r.Context().Done():
			case <-hang:
			}
		},
	} {
		url, _ := receiver(t, answer)
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond) // an input: the time that Send has
		_, err := open(t, Options{URL: url}).Send(ctx, failed(), channel.Receiver{})
		cancel()
		if e := channel.ErrorOf(err); e == nil || e.Kind != channel.Temporary || strings.Contains(e.Error(), "s3cr3t") {
			t.Errorf("%s: got %v, want a temporary error without the secret", name, err)
		}
	}
	close(hang)
	url, _ := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusOK)
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, strings.Repeat("x", 1<<16)); err != nil {
				return
			}
		}
	})
	if _, err := open(t, Options{URL: url}).Send(t.Context(), failed(), channel.Receiver{}); err != nil {
		t.Errorf("a huge answer with 200: %v", err)
	}
}

// TestOwnNetworkIsRefused: the default client connects to no metadata service under any
// name, and the error does not show the path.
func TestOwnNetworkIsRefused(t *testing.T) {
	for _, u := range []string{
		"http://169.254.169.254/latest/meta-data/s3cr3t", "https://169.254.169.254/s3cr3t", "http://[fd00:ec2::254]/s3cr3t", "http://[::ffff:169.254.169.254]/s3cr3t",
		"http://100.100.100.200/s3cr3t", "http://localhost:1/s3cr3t", "https://10.0.0.1/s3cr3t",
	} {
		c, err := New(Options{URL: u, Keys: []string{hmacKey}, Plain: true})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Send(t.Context(), failed(), channel.Receiver{})
		if e := channel.ErrorOf(err); e == nil || e.Kind != channel.Permanent || !strings.Contains(e.Error(), "is refused") || strings.Contains(e.Error(), "s3cr3t") {
			t.Errorf("%s: got %v, want a permanent error without the secret: the address is refused", u, err)
		}
		if err := c.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "is refused") {
			t.Errorf("%s: Check: got %v, want that the address is refused", u, err)
		}
		_ = c.Close()
	}
}

// TestNewRefuses: errors name the mistake and show no secret.
func TestNewRefuses(t *testing.T) {
	good := Options{URL: "https://hooks.example/s3cr3t", Keys: []string{hmacKey}}
	for name, change := range map[string]func(*Options){
		"no URL":             func(o *Options) { o.URL = "" },
		"http":               func(o *Options) { o.URL = "http://hooks.example/s3cr3t" },
		"ftp":                func(o *Options) { o.URL, o.Plain = "ftp://hooks.example/s3cr3t", true },
		"no key":             func(o *Options) { o.Keys = nil },
		"too many keys":      func(o *Options) { o.Keys = make([]string, 9) },
		"no prefix":          func(o *Options) { o.Keys = []string{"s3cr3ts3cr3ts3cr3ts3cr3ts3cr3t"} },
		"short":              func(o *Options) { o.Keys = []string{"whsec_czNjcjN0"} },
		"no base64":          func(o *Options) { o.Keys = []string{"whsec_s3cr3t!"} },
		"public":             func(o *Options) { o.Keys = []string{"whpk_s3cr3t"} },
		"ed25519 of 33":      func(o *Options) { o.Keys = []string{"whsk_" + base64.StdEncoding.EncodeToString(make([]byte, 33))} },
		"halves":             func(o *Options) { o.Keys = []string{"whsk_" + base64.StdEncoding.EncodeToString(make([]byte, 64))} },
		"a header of ours":   func(o *Options) { o.Headers = map[string]string{"Webhook-Id": "s3cr3t"} },
		"Host":               func(o *Options) { o.Headers = map[string]string{"host": "s3cr3t"} },
		"a line in a header": func(o *Options) { o.Headers = map[string]string{"X-Team": "a\r\nX-Evil: s3cr3t"} },
		"a name of a header": func(o *Options) { o.Headers = map[string]string{"X Team:": "s3cr3t"} },
	} {
		o := good
		change(&o)
		if c, err := New(o); err == nil || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%s: got %v and error %v, want an error without the secret", name, c, err)
		}
	}
}

// TestCheckSendsNoMessage: Check requests the root of the server, and returns an error if
// no server listens.
func TestCheckSendsNoMessage(t *testing.T) {
	url, got := receiver(t, ok)
	if err := open(t, Options{URL: url}).Check(t.Context()); err != nil || len(got()) != 0 {
		t.Errorf("got error %v and %d messages, want neither", err, len(got()))
	}
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := socket.Addr().String()
	_ = socket.Close()
	err = open(t, Options{URL: "http://" + address + "/s3cr3t"}).Check(t.Context())
	if e := (*channel.Error)(nil); !errors.As(err, &e) || strings.Contains(err.Error(), "s3cr3t") {
		t.Errorf("nothing listens: %v", err)
	}
}
