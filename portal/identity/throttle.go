package identity

import (
	"context"
	"crypto/sha256"
	"net/netip"
	"sync"
	"time"
)

// These bound failed attempts to sign in.
const (
	maxFailures     = 20
	failureWindow   = time.Minute
	maxOfThrottle   = 4096 // addresses
	prefixOfAddress = 64   // bits of an IPv6 address that belong to one host
	goodFor         = time.Hour
)

// throttle counts failed attempts by address. The zero value is ready to use.
type throttle struct {
	mu    sync.Mutex
	began map[netip.Prefix]*failures
	// good has hashes of tokens that were accepted lately. They are no attempts, so a program
	// with a wrong token does not lock out the others at its address.
	good map[[sha256.Size]byte]time.Time
}

// failures are those of an address in one window.
type failures struct {
	since time.Time
	n     int
	// under has hashes of tokens that are being looked up, with the number of requests: many
	// guesses at once must not all be sent to the clusters before the first one fails.
	under map[[sha256.Size]byte]int
}

// hostOf returns the part of an address that one attacker has. An address that cannot be read
// shares its count with all such addresses.
func hostOf(address string) netip.Prefix {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return netip.Prefix{}
	}
	bits := prefixOfAddress
	if ip = ip.Unmap().WithZone(""); ip.Is4() {
		bits = 32
	}
	p, _ := ip.Prefix(bits) // the bits fit the address
	return p
}

// Network returns the address from which the request of a context came, as a limit counts it:
// an IPv6 address as its network of 64 bits. Behind a trusted proxy it is that of the client.
func Network(ctx context.Context) string { return hostOf(Address(ctx)).String() }

// begin returns how many seconds an address has to wait before it may try a token; 0 if it may
// try now. The caller calls end then.
func (t *throttle) begin(address, token string, now time.Time) (wait int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	hash := sha256.Sum256([]byte(token))
	if at, ok := t.good[hash]; ok && now.Sub(at) < goodFor {
		return 0
	}
	f := t.failuresOf(hostOf(address), now)
	switch _, again := f.under[hash]; {
	case f.n >= maxFailures:
		return int(failureWindow.Seconds()-now.Sub(f.since).Seconds()) + 1
	case !again && f.n+len(f.under) >= maxFailures:
		return 1
	}
	f.under[hash]++
	return 0
}

// end says that a token was looked up.
func (t *throttle) end(address, token string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	hash := sha256.Sum256([]byte(token))
	if f := t.began[hostOf(address)]; f != nil {
		if f.under[hash]--; f.under[hash] <= 0 {
			delete(f.under, hash)
		}
	}
}

// failuresOf returns those of a host in the present window. The caller has the lock.
func (t *throttle) failuresOf(host netip.Prefix, now time.Time) *failures {
	if t.began == nil {
		t.began = map[netip.Prefix]*failures{}
	}
	f := t.began[host]
	if f == nil || now.Sub(f.since) >= failureWindow {
		t.shrink(now)
		f = &failures{since: now, under: map[[sha256.Size]byte]int{}}
		t.began[host] = f
	}
	return f
}

// succeeded remembers a token that was accepted.
func (t *throttle) succeeded(token string, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.good == nil || len(t.good) >= maxOfThrottle {
		t.good = map[[sha256.Size]byte]time.Time{}
	}
	t.good[sha256.Sum256([]byte(token))] = now
}

// failed counts a failed attempt.
func (t *throttle) failed(address string, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failuresOf(hostOf(address), now).n++
}

// shrink makes room for one more address: it forgets windows that are over, or else the
// oldest one.
func (t *throttle) shrink(now time.Time) {
	if len(t.began) < maxOfThrottle {
		return
	}
	var oldest netip.Prefix
	var since time.Time
	for host, f := range t.began {
		if now.Sub(f.since) >= failureWindow {
			delete(t.began, host)
			continue
		}
		if since.IsZero() || f.since.Before(since) {
			oldest, since = host, f.since
		}
	}
	if len(t.began) >= maxOfThrottle {
		delete(t.began, oldest)
	}
}
