package network

import (
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Mode selects what a network does with connections.
type Mode uint8

// The modes.
const (
	Whole  Mode = iota
	Refuse      // connections are reset, and new ones fail
	Reset       // connections are reset once; new ones work
	Stall       // data stops without an error; it arrives later
	Drop        // data of open connections is lost without an error; new connections work
)

// String describes the effect on connections.
func (m Mode) String() string {
	return [...]string{"whole", "refused", "reset", "stalled", "dropped"}[m]
}

// Proxy is a network between a client and a server that a test can cut.
type Proxy struct {
	listener net.Listener
	work     sync.WaitGroup

	mu      sync.Mutex
	to      string
	mode    Mode
	changed chan struct{} // closed when mode changes
	links   map[*link]bool

	bytes    atomic.Int64 // that have passed, in both directions
	accepted atomic.Int64 // connections
}

// link is one connection through a proxy.
type link struct {
	ends [2]*net.TCPConn
	dead chan struct{} // closed when no more data passes
}

// New returns a network to an address. It ends with the test.
func New(t testing.TB, to string) *Proxy {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{to: to, listener: l, changed: make(chan struct{}), links: map[*link]bool{}}
	p.work.Go(p.accept)
	t.Cleanup(func() {
		_ = l.Close()
		p.Set(Refuse)
		p.work.Wait()
	})
	return p
}

// Address returns the address of the proxy.
func (p *Proxy) Address() string { return p.listener.Addr().String() }

// Bytes returns the number of bytes that have passed, in both directions.
func (p *Proxy) Bytes() int64 { return p.bytes.Load() }

// Accepted returns the number of connections so far.
func (p *Proxy) Accepted() int { return int(p.accepted.Load()) }

// Set changes the mode of the network.
func (p *Proxy) Set(m Mode) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mode = m
	close(p.changed)
	p.changed = make(chan struct{})
	for l := range p.links {
		switch m {
		case Refuse, Reset:
			l.reset()
			delete(p.links, l)
		case Drop:
			l.die()
		case Whole, Stall:
		}
	}
	if m == Reset {
		p.mode = Whole
	}
}

// Links returns the number of connections that are not dead.
func (p *Proxy) Links() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for l := range p.links {
		select {
		case <-l.dead:
		default:
			n++
		}
	}
	return n
}

// Redirect connects later connections to another address.
func (p *Proxy) Redirect(to string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.to = to
}

func (p *Proxy) now() (Mode, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mode, p.changed
}

func (l *link) reset() {
	for _, end := range l.ends {
		if end != nil {
			_ = end.SetLinger(0) // a reset instead of a normal close
			_ = end.Close()
		}
	}
}

func (l *link) die() {
	select {
	case <-l.dead:
	default:
		close(l.dead)
	}
}

func (p *Proxy) accept() {
	for {
		conn, err := p.listener.Accept()
		if err != nil {
			return // it is closed
		}
		p.accepted.Add(1)
		p.work.Go(func() { p.serve(conn.(*net.TCPConn)) })
	}
}

// serve opens the connection to the server, and copies data.
func (p *Proxy) serve(near *net.TCPConn) {
	l := &link{ends: [2]*net.TCPConn{near}, dead: make(chan struct{})}
	p.mu.Lock()
	if p.mode == Refuse {
		p.mu.Unlock()
		l.reset()
		return
	}
	if p.mode == Drop {
		l.die()
	}
	to := p.to
	p.mu.Unlock()
	far, err := net.DialTimeout("tcp", to, 5*time.Second)
	if err != nil {
		l.reset() // the server is not available
		return
	}
	l.ends[1] = far.(*net.TCPConn)
	p.mu.Lock()
	if p.mode == Refuse {
		p.mu.Unlock()
		l.reset()
		return
	}
	p.links[l] = true
	p.mu.Unlock()
	var moving sync.WaitGroup
	moving.Go(func() { p.move(l, l.ends[1], l.ends[0]) })
	p.move(l, l.ends[0], l.ends[1])
	moving.Wait() // a dead link: until the other side closes it, too
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.links, l)
	_, _ = l.ends[0].Close(), l.ends[1].Close()
}

// move copies data in one direction. Data of a dead link is lost, and so is its close.
func (p *Proxy) move(l *link, to, from *net.TCPConn) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		for m, changed := p.now(); m == Stall; m, changed = p.now() {
			<-changed
		}
		select {
		case <-l.dead:
			if err != nil {
				return
			}
			continue
		default:
		}
		p.bytes.Add(int64(n))
		if _, failed := to.Write(buffer[:n]); err == nil {
			err = failed
		}
		if err == nil {
			continue
		}
		if errors.Is(err, io.EOF) {
			_ = to.CloseWrite()
			return
		}
		l.reset()
		return
	}
}

// FreeAddress returns an unused address of this machine.
func FreeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
