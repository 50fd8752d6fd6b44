package pagerduty

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
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

const routingKey = "s3cr3t0123456789abcdef0123456789"

// service behaves as PagerDuty's documentation describes: it refuses everything that the
// documentation does not allow, and keeps alerts by dedup_key.
type service struct {
	*httptest.Server
	mu     sync.Mutex
	open   map[string]map[string]any
	answer int // 0: as documented
}

func newService(t *testing.T) *service {
	t.Helper()
	s := &service{open: map[string]map[string]any{}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *service) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if r.Method == http.MethodHead {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	if s.answer != 0 {
		w.Header().Set("Retry-After", "30")
		w.WriteHeader(s.answer)
		_, _ = io.WriteString(w, "key "+routingKey)
		return
	}
	switch problem := s.check(r, body); {
	case err != nil || problem != "":
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(map[string]any{"status": "invalid event", "errors": []string{problem}})
	default:
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, `{"status":"success","message":"Event processed"}`)
	}
}

// check applies an event, and returns the problem of the event.
func (s *service) check(r *http.Request, body []byte) string {
	var e struct {
		Key     string `json:"routing_key"`
		Action  string `json:"event_action"`
		Dedup   string `json:"dedup_key"`
		Client  string `json:"client"`
		URL     string `json:"client_url"`
		Links   []struct{ Href, Text string }
		Images  []any
		Payload map[string]any
	}
	d := json.NewDecoder(strings.NewReader(string(body)))
	d.DisallowUnknownFields()
	switch err := d.Decode(&e); {
	case r.Method != http.MethodPost || r.URL.Path != "/v2/enqueue":
		return "not the endpoint"
	case err != nil:
		return err.Error()
	case len(body) > 512<<10:
		return "the event is too large"
	case e.Key != routingKey:
		return "Invalid routing key"
	case utf8.RuneCountInString(e.Dedup) > 255 || e.Dedup == "":
		return "dedup_key"
	case e.Action == "resolve":
		delete(s.open, e.Dedup)
		return ""
	case e.Action != "trigger":
		return "event_action"
	}
	for k, v := range e.Payload {
		if text, ok := v.(string); !ok && k != "custom_details" || strings.ContainsAny(text, "\n\x1b") || !slices.Contains([]string{"summary", "source", "severity", "timestamp", "component", "group", "class", "custom_details"}, k) {
			return "payload." + k
		}
	}
	summary, _ := e.Payload["summary"].(string)
	source, _ := e.Payload["source"].(string)
	severity, _ := e.Payload["severity"].(string)
	if summary == "" || utf8.RuneCountInString(summary) > 200 || source == "" || !slices.Contains([]string{"critical", "error", "warning", "info"}, severity) {
		return fmt.Sprintf("payload: %q, %q, %q", summary, source, severity)
	}
	if at, ok := e.Payload["timestamp"].(string); ok {
		if _, err := time.Parse(time.RFC3339Nano, at); err != nil {
			return "timestamp"
		}
	}
	s.open[e.Dedup] = e.Payload
	return ""
}

func open(t *testing.T, s *service) *Channel {
	t.Helper()
	c, err := New(Options{RoutingKey: routingKey, URL: s.URL + "/v2/enqueue", Client: channel.NewClient(channel.Guard{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func failed() *message.Message {
	return &message.Message{
		ID: "gpu-west/uid/48377/Failed/my-failures/pager", Kind: message.Failed, State: job.Failed, Dedup: "vedette/gpu-west/uid/my failures",
		Title: "Failed, OOMKilled: llama3", Name: "llama3", Sentence: "Worker 2 used all of its 480 GiB of memory.", Place: "gpu-west / team-llm",
		Facts: []message.Fact{{Label: "Cause", Value: "OOMKilled, exit code 137"}, {Label: "Queue", Value: "gpu-h100"}}, Log: []string{"Killed"},
		Buttons:  []message.Button{{Text: "Open job", URL: "https://vedette.example/jobs/gpu-west/uid", Primary: true}},
		URL:      "https://vedette.example/jobs/gpu-west/uid",
		Happened: time.Date(2026, 11, 22, 2, 21, 42, 108e6, time.UTC), Notice: &message.Notice{Kind: message.Failed},
	}
}

// TestAlertOpensOnceAndCloses: a repeat changes nothing, and leaving the state resolves
// the alert.
func TestAlertOpensOnceAndCloses(t *testing.T) {
	s := newService(t)
	c := open(t, s)
	for range 2 {
		r, err := c.Send(t.Context(), failed(), channel.Receiver{})
		if err != nil || r.Status != "HTTP 202" || r.Ref != "vedette/gpu-west/uid/my failures" {
			t.Fatalf("got %+v and error %v, want HTTP 202 and the key of the alert", r, err)
		}
	}
	alert := s.open["vedette/gpu-west/uid/my failures"]
	if len(s.open) != 1 || alert["severity"] != "error" || alert["summary"] != "Failed, OOMKilled: llama3" || alert["source"] != "gpu-west / team-llm" {
		t.Fatalf("got alerts %v, want one with its severity, summary and source", s.open)
	}
	details := alert["custom_details"].(map[string]any)
	if details["sentence"] != "Worker 2 used all of its 480 GiB of memory." || details["facts"].(map[string]any)["Queue"] != "gpu-h100" || fmt.Sprint(details["log"]) != "[Killed]" {
		t.Errorf("got details %v, want the sentence, the queue and the log", details)
	}
	left := failed()
	left.Resolve = true
	if _, err := c.Send(t.Context(), left, channel.Receiver{}); err != nil || len(s.open) != 0 {
		t.Errorf("got error %v and open alerts %v, want neither", err, s.open)
	}
}

// TestSeverity: each kind has the right severity.
func TestSeverity(t *testing.T) {
	s := newService(t)
	c := open(t, s)
	for kind, want := range map[message.Kind]string{
		message.Escalation: "critical", message.Failed: "error", message.WaitsLong: "warning", message.NoProgress: "warning", message.NearDeadline: "warning",
		message.RunningLong: "warning", message.Succeeded: "info", message.Digest: "info", message.Test: "info",
	} {
		m := failed()
		m.Kind, m.Dedup = kind, "vedette/"+string(kind)
		if _, err := c.Send(t.Context(), m, channel.Receiver{}); err != nil || s.open[m.Dedup]["severity"] != want {
			t.Errorf("%s: got error %v and severity %v, want %v", kind, err, s.open[m.Dedup]["severity"], want)
		}
	}
}

// TestAnswers: each code has its kind, and an echo of the key in the answer is not shown.
func TestAnswers(t *testing.T) {
	s := newService(t)
	c := open(t, s)
	for code, kind := range map[int]channel.ErrorKind{400: channel.Permanent, 403: channel.Permanent, 429: channel.Throttled, 500: channel.Temporary, 301: channel.Permanent} {
		s.answer = code
		_, err := c.Send(t.Context(), failed(), channel.Receiver{})
		if e := channel.ErrorOf(err); e == nil || e.Kind != kind || strings.Contains(e.Error(), routingKey) || (code == 429) && e.RetryAfter != 30*time.Second {
			t.Errorf("answer %d: got %v, want kind %v without the key", code, err, kind)
		}
	}
	if err := c.Check(t.Context()); err != nil || len(s.open) != 0 {
		t.Errorf("Check: got error %v and open alerts %v, want neither", err, s.open)
	}
}

// TestAnyMessageIsTaken: the service accepts the event, and the details have at most 8 KB.
func TestAnyMessageIsTaken(t *testing.T) {
	s := newService(t)
	testinput.Check(t, func(t *rapid.T) {
		text := rapid.Map(rapid.OneOf(rapid.String(), rapid.StringN(0, 300, 2000)), message.Clean)
		m := failed()
		m.Title, m.Name, m.Sentence, m.Dedup = text.Draw(t, "title")+"x", text.Draw(t, "name"), text.Draw(t, "sentence"), strings.Repeat(text.Draw(t, "dedup"), 2)
		m.ID = rapid.String().Draw(t, "ID")
		for range rapid.IntRange(0, 6).Draw(t, "facts") {
			m.Facts = append(m.Facts, message.Fact{Label: text.Draw(t, "label"), Value: text.Draw(t, "value")})
		}
		for range rapid.IntRange(0, 40).Draw(t, "lines") {
			m.Log = append(m.Log, message.CleanLine(text.Draw(t, "line")))
		}
		a := newAlert(routingKey, m)
		body, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		size, err := json.Marshal(a.Payload.Details)
		if err != nil || len(size) > maxDetails || len(a.Payload.Details.Log) > maxLog {
			t.Fatalf("%v, %d bytes of details", err, len(size))
		}
		r := httptest.NewRequest(http.MethodPost, "/v2/enqueue", http.NoBody)
		if problem := s.check(r, body); problem != "" {
			t.Fatalf("the server refuses the alert: %s in %s", problem, body)
		}
	})
}

// TestNewRefuses: errors name the mistake and show no secret.
func TestNewRefuses(t *testing.T) {
	for _, o := range []Options{
		{}, {RoutingKey: "s3cr3t"}, {RoutingKey: strings.Repeat("s3cr3t!!", 4)}, {RoutingKey: routingKey, URL: "http://s3cr3t.example"}, {RoutingKey: routingKey, URL: "s3cr3t"},
	} {
		if c, err := New(o); err == nil || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%+v: got %v and error %v, want an error without the secret", o, c, err)
		}
	}
	c, err := New(Options{RoutingKey: " " + routingKey + "\n"})
	if err != nil || c.url.String() != DefaultURL || c.Traits().Kind != "pagerduty" {
		t.Fatalf("got error %v, want the default address and kind pagerduty", err)
	}
	_ = c.Close()
}
