package livestream

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/web"
)

// served is a hub behind a real socket.
type served struct {
	*testing.T
	hub *Hub
	url string
}

// client keeps no connections.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// serveHub serves a hub that has not started.
func serveHub(t *testing.T, cfg Config) *served {
	t.Helper()
	if cfg.Sight == nil {
		cfg.Sight = func(context.Context) (Sight, error) { return fakeSight("*"), nil }
	}
	if cfg.Position == nil {
		cfg.Position = func() int64 { return 0 }
	}
	h := New(cfg)
	mux := http.NewServeMux()
	h.Register(web.NewAPI(mux, "test"))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	ctx, cancel := context.WithCancel(t.Context())
	ran := make(chan struct{})
	go func() { h.Run(ctx); close(ran) }()
	t.Cleanup(func() { cancel(); <-ran })
	return &served{t, h, server.URL + "/api/v1/stream"}
}

// get opens the stream. It is closed at the end of the test.
func (s *served) get(query, lastEventID string) (*http.Response, *bufio.Reader) {
	s.Helper()
	ctx, cancel := context.WithCancel(s.Context())
	s.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+query, nil)
	if err != nil {
		s.Fatal(err)
	}
	if lastEventID != "" {
		r.Header.Set("Last-Event-ID", lastEventID)
	}
	resp, err := client.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { cancel(); _ = resp.Body.Close() })
	return resp, bufio.NewReader(resp.Body)
}

// next returns the event, the ID and the positions of the next event other than a beat.
func (s *served) next(in *bufio.Reader) string {
	s.Helper()
	var event, id, text string
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			s.Fatal(err)
		}
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch {
		case key == "event":
			event = value
		case key == "id":
			id = value
		case key == "data" && event == "changes":
			var some api.Changes
			if err := json.Unmarshal([]byte(value), &some); err != nil {
				s.Fatal(err)
			}
			for _, c := range some.Changes {
				text += fmt.Sprint(" ", c.Position)
			}
		case key == "data" && event == "beat":
			var beat api.Beat
			if err := json.Unmarshal([]byte(value), &beat); err != nil || fmt.Sprint(beat.Position) != id {
				s.Errorf("a beat at %s says %s: %v", id, value, err) // a browser refuses changes before its position
			}
		case key == "data":
			text = " " + value
		case line == "\n" && event != "" && event != "beat":
			return event + " " + id + text
		case line == "\n":
			event, text = "", ""
		}
	}
}

func (s *served) wants(in *bufio.Reader, want string) {
	s.Helper()
	if got := s.next(in); got != want {
		s.Errorf("got %q, want %q", got, want)
	}
}

// TestStream: a browser continues after the position of its list or of its last event.
func TestStream(t *testing.T) {
	s := serveHub(t, Config{})
	resp, _ := s.get("", "")
	if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Content-Type") != api.ProblemType {
		t.Errorf("before the start: %d %v", resp.StatusCode, resp.Header)
	}
	s.hub.Append([]Change{change(7, "a")}) // while the earlier changes are read
	s.hub.Start(3, []Change{change(5, "a"), change(6, "b"), change(7, "a")})
	_, in := s.get("?after=3", "")
	s.wants(in, "changes 7 5 6 7")
	_, in = s.get("?after=3", "6")
	s.wants(in, "changes 7 7")
	_, in = s.get("?after=2", "")
	s.wants(in, `reset 7 {"reason":"expired","position":7}`)
	_, in = s.get("?after=100000", "")
	s.wants(in, `reset 7 {"reason":"restored","position":7}`)
	resp, _ = s.get("?after=x", "")
	if resp.StatusCode != http.StatusBadRequest {
		t.Errorf("a bad position: got status %d, want 400", resp.StatusCode)
	}
}

// TestAhead: a browser whose list is ahead of the log gets only the changes after its list.
func TestAhead(t *testing.T) {
	s := serveHub(t, Config{})
	s.hub.Start(5, nil)
	_, in := s.get("?after=8", "")
	s.hub.Append([]Change{change(6, "a"), change(8, "a"), change(9, "a")})
	s.wants(in, "changes 9 9")
	s.hub.Append([]Change{change(10, "a")})
	s.wants(in, "changes 10 10")
}

// TestRemovedAgain: a removal shares the position of the previous change, and is not lost.
func TestRemovedAgain(t *testing.T) {
	s := serveHub(t, Config{})
	removed := change(6, "a")
	removed.Removed = true
	s.hub.Start(5, []Change{change(6, "a"), removed})
	_, in := s.get("?after=6", "")
	s.wants(in, "changes 6 6")
}

// TestBareChanges: a person who may not see pods gets changes without what pods show.
func TestBareChanges(t *testing.T) {
	s := serveHub(t, Config{Sight: func(context.Context) (Sight, error) { return fakeSight("a!"), nil }})
	c := change(6, "a")
	bare := c.Event
	c.Event.Job.Message, c.Bare = "of a pod", &bare
	s.hub.Start(5, nil)
	_, in := s.get("?after=5", "")
	s.hub.Append([]Change{c})
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(line, "data: ") && strings.Contains(line, "changes") {
			if strings.Contains(line, "of a pod") {
				t.Errorf("the change has what a pod shows: %s", line)
			}
			return
		}
	}
}

// TestReset: all browsers load everything again after the index was reloaded.
func TestReset(t *testing.T) {
	s := serveHub(t, Config{})
	s.hub.Start(5, []Change{change(6, "a")})
	_, in := s.get("", "")
	s.hub.Reset(40, "restored")
	s.wants(in, `reset 40 {"reason":"restored","position":40}`)
	s.hub.Append([]Change{change(41, "a")})
	s.wants(in, "changes 41 41")
}

// TestSightFails: a stream does not begin if the person's sight is unknown.
func TestSightFails(t *testing.T) {
	s := serveHub(t, Config{Sight: func(context.Context) (Sight, error) { return nil, errors.New("no answer") }})
	s.hub.Start(5, nil)
	if resp, _ := s.get("", ""); resp.StatusCode != http.StatusInternalServerError {
		t.Errorf("got status %v, want %v", resp.StatusCode, http.StatusInternalServerError)
	}
}

// TestManyBrowsers: streams beyond the limit are refused, and closed streams are uncounted.
func TestManyBrowsers(t *testing.T) {
	s := serveHub(t, Config{MaxBrowsers: 1})
	s.hub.Start(5, nil)
	resp, in := s.get("", "")
	for line := ""; !strings.HasPrefix(line, "event:"); { // lines before it come before the browser counts
		var err error
		if line, err = in.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	if s.hub.Stats().Browsers != 1 {
		t.Fatalf("got %+v, want one browser", s.hub.Stats())
	}
	if other, _ := s.get("", ""); other.StatusCode != http.StatusServiceUnavailable || other.Header.Get("Retry-After") != "30" {
		t.Errorf("got status %d and headers %v, want 503 and Retry-After of 30 s", other.StatusCode, other.Header)
	}
	_ = resp.Body.Close()
	patience.Until(t, "a disconnected browser is not counted", func() string {
		if stats := s.hub.Stats(); stats.Browsers > 0 {
			return fmt.Sprintf("%+v", stats)
		}
		return ""
	})
}

// TestOnePerson: the streams of one person are limited. Other people, and people without sign-in,
// still get streams.
func TestOnePerson(t *testing.T) {
	name := "ann"
	s := serveHub(t, Config{MaxOfPerson: 2, Person: func(context.Context) string { return name }})
	s.hub.Start(5, nil)
	for range 2 {
		if _, in := s.get("", ""); !strings.Contains(s.beat(in), `"position":5`) {
			t.Fatal("no beat")
		}
	}
	if other, _ := s.get("", ""); other.StatusCode != http.StatusTooManyRequests {
		t.Errorf("a third stream: got status %d, want 429", other.StatusCode)
	}
	for _, name = range []string{"ben", "", "", ""} {
		if other, _ := s.get("", ""); other.StatusCode != http.StatusOK {
			t.Errorf("a stream of %q: %d", name, other.StatusCode)
		}
	}
	if usual := New(Config{Position: func() int64 { return 1 }}); usual.cfg.MaxOfPerson != 200 || usual.cfg.MaxBrowsers != 5000 {
		t.Errorf("by default %d streams of a person, and %d of all", usual.cfg.MaxOfPerson, usual.cfg.MaxBrowsers)
	}
	var p persons
	for range 3 {
		if !p.enter("ann", 1) || p.enter("ann", 1) || !p.full("ann", 1) {
			t.Error("the count is wrong")
		}
		p.leave("ann")
	}
	if len(p.open) > 0 {
		t.Error("a person without streams still has an entry")
	}
}

// beat returns the data of the first beat.
func (s *served) beat(in *bufio.Reader) string {
	s.Helper()
	for event := ""; ; {
		line, err := in.ReadString('\n')
		if err != nil {
			s.Fatal(err)
		}
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if key == "event" {
			event = value
		}
		if key == "data" && event == "beat" {
			return value
		}
	}
}

// TestRights: the first beat of a stream and the event rights have the key of the person's sight,
// so a browser can tell whether it changed while it was disconnected.
func TestRights(t *testing.T) {
	sight := make(chan Sight, 1)
	s := serveHub(t, Config{Sight: func(context.Context) (Sight, error) { return <-sight, nil }})
	s.hub.Start(5, nil)
	for _, key := range []string{"a", "b"} {
		sight <- fakeSight(key)
		_, in := s.get("?after=5", "")
		if got := s.beat(in); !strings.Contains(got, `"rights":"`+key+`"`) {
			t.Errorf("%s: the first beat is %s", key, got)
		}
	}
}

// TestLag: the lag is the percentile of the last minute.
func TestLag(t *testing.T) {
	var l lags
	now := time.Unix(1_000_000, 0)
	for i := range 1000 {
		lag := 50 * time.Millisecond
		if i < 15 {
			lag = time.Second
		}
		l.add(now.Add(time.Duration(i)*time.Millisecond), lag)
	}
	if p := l.percentile(now.Add(30 * time.Second)); p < 1 || p > 1.3 {
		t.Errorf("got a lag of %v s, want 1 to 1.3 s", p)
	}
	l.add(now.Add(70*time.Second), 20*time.Millisecond)
	if p := l.percentile(now.Add(70 * time.Second)); p < 0.02 || p > 0.026 {
		t.Errorf("a minute later: got a lag of %v s, want 0.02 to 0.026 s", p)
	}
	if p := l.percentile(now.Add(time.Hour)); p != 0 {
		t.Errorf("an hour later: %v", p)
	}
}

// TestUnrecordedOfOthers: a beat names only the clusters that the person sees.
func TestUnrecordedOfOthers(t *testing.T) {
	all := api.Beat{Unrecorded: []api.Unrecorded{{Cluster: "a"}, {Cluster: "b"}}}
	for sight, want := range map[fakeSight]string{"*": "a b", "a": "a", "c": ""} {
		tick := newTick(0, 0, 0)
		tick.beat = all
		got := string(tick.beatOf(sight))
		for _, cluster := range []string{"a", "b"} {
			if named := strings.Contains(got, `"cluster":"`+cluster+`"`); named != strings.Contains(want, cluster) {
				t.Errorf("sight %s: got %s, want the clusters %q", sight, got, want)
			}
		}
	}
}
