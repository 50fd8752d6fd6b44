package hostile

import (
	"bufio"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"

	"k8s.io/client-go/rest"
)

// Server is one hostile server. Create it with New. Any goroutine may use it.
type Server struct {
	name   string
	nature nature
	began  time.Time
	healed chan struct{} // closed by Behave
	closed chan struct{}
	work   sync.WaitGroup

	mu      sync.Mutex
	random  *rand.Rand
	tables  map[*Type]*table
	version uint64
	uids    int
	poison  bool // some true objects are unusable
	behaves bool
	lied    bool
	script  []string
	conns   map[*conn]struct{}
	lasting *lasting // nil before Break
	storm   *misdeed // the misdeed that repeats
	left    int      // remaining repetitions
	count   Counts
	again   []act // acts that meddlers repeat
	paths   map[string]*Path
	lists   []snapshot // snapshots for continue tokens
	ids     int        // number of lists
}

// Counts has the counters of a server.
type Counts struct {
	// Requests counts all requests.
	Requests int
	// News counts the requests that clients may send without a pause, because they got a
	// new version or page.
	News int
	// Faults counts the requests with a wrong answer; Good counts correct answers and
	// events.
	Faults, Good int
	// Lied reports that the server sent false data that no client can recognize.
	Lied bool
	// Overrun reports that a client sent more requests within a second than the server
	// answers.
	Overrun bool

	second   time.Time
	inSecond int
}

// New returns a server whose behavior is determined by a seed. Call New and all methods
// within a bubble of testing/synctest, and call Close before the bubble ends.
func New(name string, seed uint64) *Server {
	random := rand.New(rand.NewPCG(seed, 11))
	s := &Server{
		name: name, nature: newNature(random), random: random, began: time.Now(),
		healed: make(chan struct{}), closed: make(chan struct{}),
		tables: map[*Type]*table{}, version: uint64(1 + random.IntN(2000)), conns: map[*conn]struct{}{}, paths: map[string]*Path{},
	}
	s.poison = random.IntN(4) == 0
	for _, t := range []*Type{Pods, Widgets} {
		s.tables[t] = &table{objects: map[string]Object{}, wake: make(chan struct{}), floor: s.version}
		for range random.IntN(20) {
			s.Write(t)
		}
	}
	s.noteLocked("%+v", s.nature)
	return s
}

// Counts returns the counters.
func (s *Server) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.count
	c.Lied = s.lied
	return c
}

// RESTConfig returns a configuration that connects to the server.
func (s *Server) RESTConfig() *rest.Config {
	return &rest.Config{Host: "http://" + s.name, Dial: s.dial, QPS: -1}
}

// Close ends all connections, and waits for the goroutines of the server.
func (s *Server) Close() {
	s.mu.Lock()
	close(s.closed)
	for c := range s.conns {
		c.Close()
	}
	s.mu.Unlock()
	s.work.Wait()
}

// conn is the server's end of a connection.
type conn struct {
	net.Conn
	gone chan struct{} // closed when the client has closed its end
}

// clientEnd is the client's end.
type clientEnd struct {
	net.Conn
	once sync.Once
	gone chan struct{}
}

func (c *clientEnd) Close() error {
	c.once.Do(func() { close(c.gone) })
	return c.Conn.Close()
}

// Read reports an unannounced end as a reset.
func (c *clientEnd) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if errors.Is(err, io.ErrClosedPipe) {
		err = syscall.ECONNRESET
	}
	return n, err
}

// dial opens a connection, or fails.
func (s *Server) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	s.mu.Lock()
	misdeed := ""
	if !s.behaves && s.random.Float64() < s.nature.deaf {
		misdeed = []string{"refused", "silent"}[s.random.IntN(2)]
		s.noteLocked("dial: %s", misdeed)
	}
	s.mu.Unlock()
	switch misdeed {
	case "refused":
		return nil, &net.OpError{Op: "dial", Net: "pipe", Err: syscall.ECONNREFUSED}
	case "silent":
		patience := time.NewTimer(30 * time.Second) // as long as a dialer would wait
		defer patience.Stop()
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-s.closed:
		case <-patience.C:
		}
		return nil, &net.OpError{Op: "dial", Net: "pipe", Err: syscall.ETIMEDOUT}
	}
	near, distant := net.Pipe()
	gone := make(chan struct{})
	c := &conn{Conn: distant, gone: gone}
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.closed:
		return nil, &net.OpError{Op: "dial", Net: "pipe", Err: syscall.ECONNREFUSED}
	default:
	}
	s.conns[c] = struct{}{}
	s.work.Go(func() { s.serve(c) })
	return &clientEnd{Conn: near, gone: gone}, nil
}

// serve answers the requests of a connection, one after the other.
func (s *Server) serve(c *conn) {
	defer func() {
		c.Close()
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.conns, c)
	}()
	in := bufio.NewReader(c)
	for {
		req, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, req.Body); err != nil {
			return
		}
		if !s.answer(c, req) {
			return
		}
	}
}
