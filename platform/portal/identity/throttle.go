package identity

import (
	"context"
	"crypto/sha256"
	"net/netip"
	"sync"
	"time"
)

// Limits of failed sign-ins.
const (
	maxFailures     = 20
	failureWindow   = time.Minute
	maxOfThrottle   = 4096 // addresses
	prefixOfAddress = 64   // prefix length of the IPv6 network of one host
	goodFor         = time.Hour
)

// throttle counts failed attempts by address. The zero value is ready to use.
type throttle struct {
	mu    sync.Mutex
	began map[netip.Prefix]*failures
	// good has hashes of recently accepted tokens. They do not count as attempts, so a program with
	// a wrong token does not lock out others at its address.
	good map[[sha256.Size]byte]time.Time
}

// failures counts the failures of an address in one window.
type failures struct {
	since time.Time
	n     int
	// under has hashes of the tokens that are being checked, with the number of requests. It limits
	// how many guesses are sent to the clusters before the first one fails.
	under map[[sha256.Size]byte]int
}

// hostOf returns the part of an address that one host controls. All invalid addresses share one
// count.
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

// Network returns the source address of the context's request as the limits count it: an IPv6
// address as its network of 64 bits. Behind a trusted proxy it is the client's address.
func Network(ctx context.Context) string { return hostOf(Address(ctx)).String() }

// begin returns how many seconds an address must wait before it may try a token. It returns 0 if it
// may try now; the caller must then call end.
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

// end reports that a token was checked.
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

// failuresOf returns the failures of a host in the current window. The caller holds the lock.
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

// succeeded records an accepted token.
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

// shrink frees a place for one more address: it removes past windows, or else the oldest one.
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
