package channeltest

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/notify/channel"
)

// Fault is the treatment of one request, whatever the rules of the server.
type Fault struct {
	// Kind is the failure that the server answers, in the vendor's format.
	Kind channel.ErrorKind
	// RetryAfter is the wait that the answer requests, if the vendor's protocol has such a
	// field.
	RetryAfter time.Duration
	// Echo copies the whole request, with its secrets, into the text of the failure.
	Echo bool
	// Cut closes the connection without an answer.
	Cut bool
	// Stall sends no answer until the client disconnects.
	Stall bool
}

// Server is a receiver that checks the requirements of a vendor's documentation, and
// answers with the vendor's codes. It has its own clocks.
type Server struct {
	// URL is the address with the path, for the options of a channel.
	URL string
	// Token is the secret in the URL or in the header.
	Token string

	rules    rules
	mu       sync.Mutex
	accepted []string
	faults   []Fault
	requests int
	later    time.Duration // how far the clock of rates is ahead
	skew     time.Duration // how far the clock of signatures is ahead
	times    []time.Time   // of accepted messages, for rates
}

// reply is an answer. accepted is set if the message arrived.
type reply struct {
	status   int
	header   http.Header
	body     string
	accepted bool
}

// request is the input of a vendor's rules.
type request struct {
	*http.Request
	body []byte
	now  time.Time // by the clock of signatures
}

// rules are the rules of a vendor.
type rules interface {
	// message reports whether a request is a message. Method other answers all other
	// requests.
	message(r *http.Request) bool
	other(r *http.Request) reply
	// check answers a message that the rate allows.
	check(r *request) reply
	// limit answers a message that the rate does not allow, given the times of the
	// accepted messages; limited is false if the rate allows it.
	limit(earlier []time.Time, now time.Time) (answer reply, limited bool)
	// fail answers with a failure.
	fail(f Fault, words string) reply
}

// serve starts a server that ends with the test.
func serve(t testing.TB, r rules, token string) *Server {
	s := &Server{rules: r, Token: token}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Accepted returns the bodies of the messages that arrived, in order.
func (s *Server) Accepted() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.accepted)
}

// Requests returns the number of requests that were messages.
func (s *Server) Requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

// Fail applies a fault to the next request.
func (s *Server) Fail(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, f)
}

// Advance moves the clock of rates.
func (s *Server) Advance(by time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.later += by
}

// Skew moves the clock of signatures.
func (s *Server) Skew(by time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.skew += by
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	w.Header().Set("Date", s.clock().UTC().Format(http.TimeFormat))
	if !s.rules.message(r) {
		write(w, s.rules.other(r))
		return
	}
	switch f, failing := s.next(); {
	case !failing:
		write(w, s.judge(r, body))
	case f.Stall:
		<-r.Context().Done()
	case f.Cut:
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_ = conn.Close()
		}
	case f.Echo:
		write(w, s.rules.fail(f, r.Method+" "+r.URL.String()+" "+r.Header.Get("Authorization")+" "+string(body)))
	default:
		write(w, s.rules.fail(f, "as the test wants"))
	}
}

// clock returns the time by the clock of signatures.
func (s *Server) clock() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().Add(s.skew)
}

// next counts a request, and returns its fault.
func (s *Server) next() (f Fault, failing bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	if len(s.faults) == 0 {
		return Fault{}, false
	}
	f, s.faults = s.faults[0], s.faults[1:]
	return f, true
}

// judge applies the vendor's rules, and keeps the message if they allow it.
func (s *Server) judge(r *http.Request, body []byte) reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if answer, limited := s.rules.limit(s.times, now.Add(s.later)); limited {
		return answer
	}
	answer := s.rules.check(&request{r, body, now.Add(s.skew)})
	if answer.accepted {
		s.accepted = append(s.accepted, string(body))
		s.times = append(s.times, now.Add(s.later))
	}
	return answer
}

func write(w http.ResponseWriter, r reply) {
	maps.Copy(w.Header(), r.header)
	if r.status != 0 {
		w.WriteHeader(r.status)
	}
	_, _ = io.WriteString(w, r.body)
}

// within counts the times in the interval before now.
func within(times []time.Time, now time.Time, interval time.Duration) (n int) {
	for _, t := range times {
		if now.Sub(t) < interval {
			n++
		}
	}
	return n
}
