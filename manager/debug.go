package manager

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/vedette-io/vedette/controller"
	"github.com/vedette-io/vedette/internal/printable"
)

// debugPath is where a program shows what it does.
const debugPath = "/debug/vedette"

// debugHandler answers requests for /debug/vedette. It refuses requests for another host, which a
// page in a browser of this machine can send.
type debugHandler struct{ m *Manager }

// ServeHTTP implements http.Handler.
func (h *debugHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !isLoopback(r.Host) && !isLoopback(net.JoinHostPort(r.Host, "80")) {
		http.Error(w, "the host of the request is not this machine; use http://127.0.0.1", http.StatusForbidden)
		return
	}
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	shown := h.m.shown(time.Now())
	if r.FormValue("format") == "json" {
		w.Header().Set("Content-Type", "application/json")
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		_ = enc.Encode(shown) // the client may have disconnected
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	shown.write(w)
}

// shown is the answer to a request for /debug/vedette.
type shown struct {
	Name        string            `json:"name"`
	At          time.Time         `json:"at"`
	NotReady    string            `json:"notReady,omitempty"`
	Stores      []shownStore      `json:"stores"`
	Controllers []shownController `json:"controllers"`
}

// shownStore is a store of an informer.
type shownStore struct {
	Type        string   `json:"type"`
	Namespaces  []string `json:"namespaces,omitempty"`
	Selector    string   `json:"selector,omitempty"`
	Phase       string   `json:"phase"`
	Objects     int      `json:"objects"`
	RawBytes    int64    `json:"rawBytes"`
	HeldBytes   int64    `json:"heldBytes"`
	Decoded     int      `json:"decoded"`
	Queued      int      `json:"queued"`
	QueuedBytes int64    `json:"queuedBytes"`
	Users       int      `json:"users"`
	Fault       string   `json:"fault,omitempty"`
}

// shownController is a controller with its queue.
type shownController struct {
	Name    string `json:"name"`
	Phase   string `json:"phase"`
	Waiting int    `json:"waiting"`
	Delayed int    `json:"delayed"`
	Handled int    `json:"handled"`
	// AwaitWrites is the number of keys that wait for their own writes.
	AwaitWrites   int            `json:"awaitWrites"`
	OldestSeconds float64        `json:"oldestSeconds"`
	Failing       []shownFailing `json:"failing"`
	FailingOthers uint64         `json:"failingOthers"`
	Running       []shownRunning `json:"running"`
	Ended         []shownEnded   `json:"ended"`
}

type shownFailing struct {
	Key      string    `json:"key"`
	Attempts int       `json:"attempts"`
	Last     time.Time `json:"last"`
	GivenUp  bool      `json:"givenUp"`
	Err      string    `json:"err"`
}

type shownRunning struct {
	Key     string    `json:"key"`
	ID      string    `json:"id"`
	Attempt int       `json:"attempt"`
	Since   time.Time `json:"since"`
	Waiting bool      `json:"waiting"`
	Overdue bool      `json:"overdue"`
}

type shownEnded struct {
	Key     string    `json:"key"`
	ID      string    `json:"id"`
	Attempt int       `json:"attempt"`
	Reasons []string  `json:"reasons"`
	More    int       `json:"moreReasons"`
	Began   time.Time `json:"began"`
	Seconds float64   `json:"seconds"`
	Outcome string    `json:"outcome"`
	Err     string    `json:"err,omitempty"`
}

// maxShown is the maximum number of running reconciles that are shown.
const maxShown = 100

// shown returns what the program does at an instant.
func (m *Manager) shown(at time.Time) *shown {
	s := &shown{Name: m.cfg.Name, At: at, Stores: []shownStore{}, Controllers: []shownController{}}
	if err := m.factory.Ready(); err != nil {
		s.NotReady = err.Error()
	}
	for _, i := range m.factory.List() {
		one := shownStore{
			Type: i.Resource, Namespaces: i.Namespaces, Selector: strings.Join(strings.Fields(i.LabelSelector+" "+i.FieldSelector), " "), Phase: i.Health.Phase.String(),
			Objects: i.Stats.Objects, RawBytes: i.Stats.RawBytes, HeldBytes: i.Stats.HeldBytes, Decoded: i.Stats.Decoded, Queued: i.Stats.Queued, QueuedBytes: int64(i.Stats.QueuedBytes), Users: i.Users,
		}
		if i.Health.Err != nil {
			one.Fault = i.Health.Err.Error()
		}
		s.Stores = append(s.Stores, one)
	}
	for _, c := range m.controllers {
		s.Controllers = append(s.Controllers, showController(c))
	}
	return s
}

// showController returns what a controller does.
func showController(c *controller.Controller) shownController {
	h, a := c.Health(), c.Activity()
	s := shownController{
		Name: h.Name, Phase: h.Phase.String(), Waiting: h.Queue.Waiting, Delayed: h.Queue.Delayed, Handled: h.Queue.Handled, AwaitWrites: h.Waiting, OldestSeconds: h.Queue.Oldest.Seconds(),
		Failing: []shownFailing{}, FailingOthers: a.Others, Running: []shownRunning{}, Ended: []shownEnded{},
	}
	for _, f := range a.Failing {
		s.Failing = append(s.Failing, shownFailing{f.Key.String(), f.Attempts, f.Last, f.GivenUp, f.Err})
	}
	for _, r := range h.Running[:min(len(h.Running), maxShown)] {
		s.Running = append(s.Running, shownRunning{r.Key.String(), r.ID, r.Attempt, r.Since, r.Waiting, r.Overdue})
	}
	for _, e := range a.Ended {
		one := shownEnded{Key: e.Key.String(), ID: e.ID, Attempt: e.Attempt, Reasons: []string{}, More: e.More, Began: e.Began, Seconds: e.Took.Seconds(), Outcome: e.Outcome.String(), Err: e.Err}
		for _, r := range e.Reasons {
			text := r.String()
			if r.Source != "" {
				text = r.Source + " " + text
			}
			one.Reasons = append(one.Reasons, text)
		}
		s.Ended = append(s.Ended, one)
	}
	return s
}

// write writes the answer as text. Names and errors come from others, so control characters are
// escaped.
func (s *shown) write(to io.Writer) {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	line := func(cells ...any) {
		for i, c := range cells {
			cells[i] = printable.Line(fmt.Sprint(c))
		}
		_, _ = fmt.Fprintln(w, strings.TrimSuffix(fmt.Sprintf(strings.Repeat("%s\t", len(cells)), cells...), "\t")) // the client may have disconnected
	}
	clock := func(t time.Time) string { return t.UTC().Format("15:04:05.000") }
	seconds := func(n float64) string {
		return time.Duration(n * float64(time.Second)).Round(time.Microsecond).String()
	}
	line(s.Name + " at " + s.At.UTC().Format(time.RFC3339Nano))
	if s.NotReady != "" {
		line("not ready: " + s.NotReady)
	}
	line()
	line("STORE", "PHASE", "OBJECTS", "RAW BYTES", "HELD BYTES", "DECODED", "QUEUED", "USERS", "FAULT")
	for _, one := range s.Stores {
		line(strings.TrimSpace(one.Type+" "+strings.Join(one.Namespaces, ",")+" "+one.Selector), one.Phase, one.Objects, one.RawBytes, one.HeldBytes, one.Decoded, one.Queued, one.Users, one.Fault)
	}
	for _, c := range s.Controllers {
		line()
		line(fmt.Sprintf("controller %s is %s: %d waiting, the oldest for %s; %d delayed, %d handled, %d wait for their own writes",
			c.Name, c.Phase, c.Waiting, seconds(c.OldestSeconds), c.Delayed, c.Handled, c.AwaitWrites))
		if len(c.Failing) > 0 {
			line(fmt.Sprintf("FAILING (and %d others)", c.FailingOthers), "LAST", "ATTEMPTS", "GIVEN UP", "ERROR")
		}
		for _, f := range c.Failing {
			line(f.Key, clock(f.Last), f.Attempts, f.GivenUp, f.Err)
		}
		if len(c.Running) > 0 {
			line("RUNNING", "SINCE", "ATTEMPT", "WAITING", "OVERDUE", "ID")
		}
		for _, r := range c.Running {
			line(r.Key, clock(r.Since), r.Attempt, r.Waiting, r.Overdue, r.ID)
		}
		if len(c.Ended) > 0 {
			line("ENDED", "BEGAN", "TOOK", "OUTCOME", "ATTEMPT", "REASONS", "ERROR")
		}
		for _, e := range c.Ended {
			reasons := strings.Join(e.Reasons, ", ")
			if e.More > 0 {
				reasons += fmt.Sprintf(" and %d more", e.More)
			}
			line(e.Key, clock(e.Began), seconds(e.Seconds), e.Outcome, e.Attempt, reasons, e.Err)
		}
	}
	_ = w.Flush() // the client may have disconnected
}
