package stage

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vedette-io/vedette/conformance/dice"
)

// SinkSecret is the secret that signs the webhooks of these tests.
var SinkSecret = []byte("0123456789abcdef0123456789abcdef")

// Temper is the behavior of a receiver.
type Temper struct {
	Failing bool          // it answers 429 and 500, stalls and cuts connections at random
	Delay   time.Duration // before each answer
}

// arrival is one message that a receiver accepted.
type arrival struct {
	At                time.Time
	Key, UID, to      string
	rule              string
	late              bool
	happened, Version int64 // happened in microseconds
}

// Sink is an HTTP server that receives webhooks. It checks the signature of each.
type Sink struct {
	Address string
	temper  Temper
	dice    *dice.Dice
	Calm    atomic.Bool // it has no more faults
	work    sync.WaitGroup

	mu       sync.Mutex
	server   *http.Server
	arrivals []arrival
	problems []string
	requests int
}

// NewSink starts a receiver. It ends with the test.
func NewSink(t *testing.T, how Temper) *Sink {
	t.Helper()
	s := &Sink{temper: how, dice: dice.New(t)}
	if err := s.start("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.crash()
		s.work.Wait()
	})
	return s
}

// start listens at an address.
func (s *Sink) start(address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	s.mu.Lock()
	s.Address, s.server = l.Addr().String(), server
	s.mu.Unlock()
	s.work.Go(func() { _ = server.Serve(l) }) // it returns when the server is closed
	return nil
}

// crash ends the server and all its connections, like a crash.
func (s *Sink) crash() {
	s.mu.Lock()
	server := s.server
	s.mu.Unlock()
	_ = server.Close()
}

// Restart stops the server for some time.
func (s *Sink) Restart(t *testing.T, away time.Duration) {
	t.Helper()
	s.crash()
	<-time.After(away)
	if err := s.start(s.Address); err != nil {
		t.Error(err)
	}
}

// ServeHTTP receives a message, or fails in a way that receivers fail.
func (s *Sink) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	s.mu.Lock()
	s.requests++
	s.mu.Unlock()
	body, err := io.ReadAll(io.LimitReader(req.Body, 1<<20))
	if err != nil {
		return // the sender has disconnected
	}
	if s.temper.Delay > 0 {
		select {
		case <-time.After(s.temper.Delay):
		case <-req.Context().Done():
			return
		}
	}
	fault := 100
	if s.temper.Failing && !s.Calm.Load() {
		fault = s.dice.IntN(100)
	}
	switch {
	case fault < 6:
		w.WriteHeader(http.StatusInternalServerError)
		return
	case fault < 9:
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusTooManyRequests)
		return
	case fault < 12:
		cutConnection(w)
		return
	case fault < 13: // stall until the sender closes the connection
		select {
		case <-req.Context().Done():
		case <-time.After(20 * time.Second):
			cutConnection(w)
		}
		return
	}
	s.accept(req.Header, body)
	if fault < 16 { // accepted, but the sender gets no response
		cutConnection(w)
	}
}

// cutConnection closes the connection of a request without an answer.
func cutConnection(w http.ResponseWriter) {
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		_ = conn.Close()
	}
}

// accept records a message and its defects.
func (s *Sink) accept(header http.Header, body []byte) {
	a, err := parseArrival(header, body)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		if len(s.problems) < 10 {
			s.problems = append(s.problems, fmt.Sprintf("%v: %.300s", err, body))
		}
		return
	}
	s.arrivals = append(s.arrivals, a)
}

// parseArrival checks a message as Standard Webhooks and CloudEvents require.
func parseArrival(header http.Header, body []byte) (a arrival, err error) {
	id, sent := header.Get("webhook-id"), header.Get("webhook-timestamp")
	mac := hmac.New(sha256.New, SinkSecret)
	_, _ = io.WriteString(mac, id+"."+sent+".")
	_, _ = mac.Write(body)
	if want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)); !strings.Contains(" "+header.Get("webhook-signature")+" ", " "+want+" ") {
		return a, fmt.Errorf("the signature %q of %s is wrong", header.Get("webhook-signature"), id)
	}
	var event struct {
		ID   string    `json:"id"`
		Spec string    `json:"specversion"`
		Time time.Time `json:"time"`
		Data struct {
			Job struct {
				UID string `json:"uid"`
			} `json:"job"`
			To   string `json:"to"`
			Rule string `json:"rule"`
			Late bool   `json:"late"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &event); err != nil {
		return a, err
	}
	if event.ID != id || event.Spec != "1.0" || event.Data.Job.UID == "" {
		return a, fmt.Errorf("the message %s is not an event of a job", id)
	}
	a = arrival{At: time.Now(), Key: id, UID: event.Data.Job.UID, to: event.Data.To, rule: event.Data.Rule, late: event.Data.Late, happened: event.Time.UnixMicro()}
	parts := strings.Split(id, "/")
	if len(parts) < 6 {
		return a, fmt.Errorf("the key %s has %d parts", id, len(parts))
	}
	if _, err := fmt.Sscan(parts[2], &a.Version); err != nil {
		return a, fmt.Errorf("the key %s has no version: %w", id, err)
	}
	return a, nil
}

// All returns the received messages, and their defects.
func (s *Sink) All() (arrivals []arrival, problems []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.arrivals[:len(s.arrivals):len(s.arrivals)], s.problems
}

// Keys returns the number of different messages received.
func (s *Sink) Keys() int {
	all, _ := s.All()
	different := map[string]bool{}
	for i := range all {
		different[all[i].Key] = true
	}
	return len(different)
}
