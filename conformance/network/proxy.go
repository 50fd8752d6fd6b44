package network

import (
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// Mode is what a network does with what is sent through it.
type Mode uint8

// The modes.
const (
	Whole  Mode = iota
	Refuse      // connections are reset, and none is made
	Reset       // connections are reset once; new ones are whole
	Stall       // nothing moves, and nobody is told; what was on its way comes later
	Drop        // connections are dead for ever, and nobody is told; later ones are whole
)

// String returns what became of connections.
func (m Mode) String() string {
	return [...]string{"whole", "refused", "reset", "stalled", "dropped"}[m]
}

// Proxy is a network between two that can be cut.
type Proxy struct {
	listener net.Listener
	work     sync.WaitGroup

	mu      sync.Mutex
	to      string
	mode    Mode
	changed chan struct{} // closed when mode changes
	links   map[*link]bool
}

// link is one connection through a proxy.
type link struct {
	ends [2]*net.TCPConn
	dead chan struct{} // closed when nothing comes through any more
}

// New returns a network that leads to an address and ends with the test.
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

// Address is where the proxy listens.
func (p *Proxy) Address() string { return p.listener.Addr().String() }

// Set changes what the network does.
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

// Links returns how many connections there are that are not dead.
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

// Redirect lets later connections lead to another address.
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
			_ = end.SetLinger(0) // a reset, and not an end
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
		p.work.Go(func() { p.serve(conn.(*net.TCPConn)) })
	}
}

// serve makes the other half of a connection, and moves what is sent.
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
		l.reset() // the other side is not there
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
	moving.Wait() // of a dead link: until the other side gives up too
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.links, l)
	_, _ = l.ends[0].Close(), l.ends[1].Close()
}

// move moves what is sent one way. What a dead link is given is lost, also that its
// end is closed.
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
