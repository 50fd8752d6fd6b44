package opsgenie

import (
	"encoding/json"
	"fmt"
	"io"
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

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/message"
)

const apiKey = "s3cr3t01-89ab-cdef-0123-456789abcdef"

// service behaves as Opsgenie's documentation describes: it refuses everything that the
// documentation does not allow, and keeps open alerts by alias.
type service struct {
	*httptest.Server
	mu     sync.Mutex
	open   map[string]map[string]any
	counts map[string]int
	answer int // 0: as documented
}

func newService(t *testing.T) *service {
	t.Helper()
	s := &service{open: map[string]map[string]any{}, counts: map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *service) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	switch {
	case r.Method == http.MethodHead:
		w.WriteHeader(http.StatusNotFound)
		return
	case s.answer != 0:
		w.WriteHeader(s.answer)
		_, _ = io.WriteString(w, "key "+apiKey)
		return
	case err != nil || r.Header.Get("Authorization") != "GenieKey "+apiKey:
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if problem := s.apply(r, body); problem != "" {
		w.WriteHeader(http.StatusUnprocessableEntity)
		_ = json.NewEncoder(w).Encode(map[string]string{"message": problem})
		return
	}
	w.WriteHeader(http.StatusAccepted)
	_, _ = io.WriteString(w, `{"result":"Request will be processed","took":0.3,"requestId":"1"}`)
}

// apply applies a request, and returns the problem of the request.
func (s *service) apply(r *http.Request, body []byte) string {
	if r.Method != http.MethodPost || !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		return "method or content type"
	}
	if path := r.URL.EscapedPath(); path != "/v2/alerts" {
		segments := strings.Split(path, "/")
		if len(segments) != 5 || segments[4] != "close" || r.URL.Query().Get("identifierType") != "alias" {
			return "no such path: " + path
		}
		alias, err := url.PathUnescape(segments[3])
		if err != nil {
			return err.Error()
		}
		delete(s.open, alias)
		return ""
	}
	var a map[string]any
	if err := json.Unmarshal(body, &a); err != nil {
		return err.Error()
	}
	limits := map[string]int{"message": 130, "alias": 512, "description": 15000, "entity": 512, "source": 100, "priority": 2}
	for field, value := range a {
		limit, known := limits[field]
		text, isText := value.(string)
		switch {
		case field == "details":
			for k, v := range value.(map[string]any) {
				if _, ok := v.(string); !ok || len(k) > 1024 {
					return "details are strings"
				}
			}
		case field == "tags":
			if tags := value.([]any); len(tags) > 20 {
				return "tags"
			}
		case !known || !isText || utf8.RuneCountInString(text) > limit:
			return field
		}
	}
	alias, _ := a["alias"].(string)
	if a["message"] == "" || alias == "" || !strings.Contains("P1 P2 P3 P4 P5", a["priority"].(string)) {
		return "message, alias or priority"
	}
	s.open[alias] = a
	s.counts[alias]++
	return ""
}

func open(t *testing.T, s *service) *Channel {
	t.Helper()
	c, err := New(Options{Key: apiKey, URL: s.URL + "/", Client: channel.NewClient(channel.Guard{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func failed() *message.Message {
	return &message.Message{
		ID: "gpu-west/uid/48377/Failed/my-failures/genie", Kind: message.Failed, State: job.Failed, Dedup: "vedette/gpu-west/uid/my failures?",
		Title: "Failed, OOMKilled: llama3", Name: "llama3", Sentence: "Worker 2 used all of its 480 GiB of memory.", Place: "gpu-west / team-llm",
		Facts: []message.Fact{{Label: "Queue", Value: "gpu-h100"}}, Log: []string{"Killed"}, LogTitle: "Last log lines",
		URL: "https://vedette.example/jobs/gpu-west/uid", Happened: time.Unix(1e9, 0), Notice: &message.Notice{Kind: message.Failed},
	}
}

// TestAlertOpensOnceAndCloses: a repeat opens no second alert, and leaving the state
// closes the alert, even if its alias has slashes.
func TestAlertOpensOnceAndCloses(t *testing.T) {
	s := newService(t)
	c := open(t, s)
	for range 2 {
		r, err := c.Send(t.Context(), failed(), channel.Receiver{})
		if err != nil || r.Status != "HTTP 202" || r.Ref != failed().Dedup {
			t.Fatalf("got %+v and error %v, want HTTP 202 and the key of the alert", r, err)
		}
	}
	alert := s.open[failed().Dedup]
	if len(s.open) != 1 || s.counts[failed().Dedup] != 2 || alert["priority"] != "P2" || alert["message"] != "Failed, OOMKilled: llama3" {
		t.Fatalf("got alerts %v, want one with count 2, P2 and its message", s.open)
	}
	want := "Worker 2 used all of its 480 GiB of memory.\nhttps://vedette.example/jobs/gpu-west/uid\nLast log lines\nKilled"
	if details := alert["details"].(map[string]any); alert["description"] != want || details["Queue"] != "gpu-h100" || details["Job"] != "llama3" {
		t.Errorf("got alert %v, want description %q, the queue and the job", alert, want)
	}
	left := failed()
	left.Resolve = true
	if _, err := c.Send(t.Context(), left, channel.Receiver{}); err != nil || len(s.open) != 0 {
		t.Errorf("got error %v and open alerts %v, want neither", err, s.open)
	}
}

// TestPriority: each kind has the right priority.
func TestPriority(t *testing.T) {
	for kind, want := range map[message.Kind]string{
		message.Escalation: "P1", message.Failed: "P2", message.WaitsLong: "P3", message.NoProgress: "P3", message.NearDeadline: "P3",
		message.RunningLong: "P3", message.Succeeded: "P5", message.Digest: "P5",
	} {
		if got := priorityOf(kind); got != want {
			t.Errorf("%s: got priority %s, want %s", kind, got, want)
		}
	}
}

// TestAnswers: each code has its kind, and an echo of the key in the answer is not shown.
func TestAnswers(t *testing.T) {
	s := newService(t)
	c := open(t, s)
	for code, kind := range map[int]channel.ErrorKind{401: channel.Permanent, 422: channel.Permanent, 429: channel.Throttled, 500: channel.Temporary} {
		s.answer = code
		_, err := c.Send(t.Context(), failed(), channel.Receiver{})
		if e := channel.ErrorOf(err); e == nil || e.Kind != kind || strings.Contains(fmt.Sprint(err), apiKey) {
			t.Errorf("answer %d: got %v, want kind %v without the key", code, err, kind)
		}
	}
	if err := c.Check(t.Context()); err != nil || len(s.open) != 0 {
		t.Errorf("Check: got error %v and open alerts %v, want neither", err, s.open)
	}
}

// TestAnyMessageIsTaken: the service accepts the alert.
func TestAnyMessageIsTaken(t *testing.T) {
	s := newService(t)
	testinput.Check(t, func(t *rapid.T) {
		text := rapid.Map(rapid.OneOf(rapid.String(), rapid.StringN(0, 300, 2000)), message.Clean)
		m := failed()
		m.Title, m.Name, m.Sentence, m.Dedup = text.Draw(t, "title")+"x", text.Draw(t, "name"), text.Draw(t, "sentence"), strings.Repeat(text.Draw(t, "dedup"), 2)
		for range rapid.IntRange(0, 6).Draw(t, "facts") {
			m.Facts = append(m.Facts, message.Fact{Label: text.Draw(t, "label"), Value: text.Draw(t, "value")})
		}
		for range rapid.IntRange(0, 40).Draw(t, "lines") {
			m.Log = append(m.Log, message.CleanLine(text.Draw(t, "line")))
		}
		a := newAlert(m)
		body, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		if size, err := json.Marshal([]any{a.Description, a.Details}); err != nil || len(size) > maxDetails {
			t.Fatalf("%v, %d bytes of details", err, len(size))
		}
		r := httptest.NewRequest(http.MethodPost, "/v2/alerts", http.NoBody)
		r.Header.Set("Content-Type", "application/json")
		if problem := s.apply(r, body); problem != "" {
			t.Fatalf("the server refuses the alert: %s in %s", problem, body)
		}
		closing := httptest.NewRequest(http.MethodPost, (&Channel{alerts: &url.URL{Scheme: "https", Host: "x", Path: "/v2/alerts"}}).closing(a.Alias).String(), http.NoBody)
		closing.Header.Set("Content-Type", "application/json")
		if problem := s.apply(closing, nil); problem != "" || len(s.open) != 0 {
			t.Fatalf("close of the alert: got the problem %q and open alerts %v, want neither", problem, s.open)
		}
	})
}

// TestNewRefuses: errors name the mistake and show no secret.
func TestNewRefuses(t *testing.T) {
	for _, o := range []Options{{}, {Key: "s3cr3t\nX: y"}, {Key: apiKey, URL: "http://s3cr3t.example"}, {Key: apiKey, URL: "https://a/?s3cr3t"}} {
		if c, err := New(o); err == nil || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%+v: got %v and error %v, want an error without the secret", o, c, err)
		}
	}
	c, err := New(Options{Key: apiKey, URL: "https://api.atlassian.com/jsm/ops/integration"})
	if err != nil || c.alerts.String() != "https://api.atlassian.com/jsm/ops/integration/v2/alerts" || c.Traits().Kind != "opsgenie" {
		t.Fatalf("got error %v, want the address for alerts and kind opsgenie", err)
	}
	_ = c.Close()
}
