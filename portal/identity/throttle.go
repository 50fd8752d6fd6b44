package identity

import (
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

// wait returns how many seconds an address has to wait before it may try a token; 0 if it may
// try now.
func (t *throttle) wait(address, token string, now time.Time) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at, ok := t.good[sha256.Sum256([]byte(token))]; ok && now.Sub(at) < goodFor {
		return 0
	}
	f := t.began[hostOf(address)]
	if f == nil || f.n < maxFailures || now.Sub(f.since) >= failureWindow {
		return 0
	}
	return int(failureWindow.Seconds()-now.Sub(f.since).Seconds()) + 1
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
	if t.began == nil {
		t.began = map[netip.Prefix]*failures{}
	}
	host := hostOf(address)
	f := t.began[host]
	if f == nil || now.Sub(f.since) >= failureWindow {
		t.shrink(now)
		f = &failures{since: now}
		t.began[host] = f
	}
	f.n++
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
