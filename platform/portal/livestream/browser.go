package livestream

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/web"
)

const (
	// pieceBytes is the approximate size of an event for a browser that has fallen behind. It
	// bounds the memory of a browser.
	pieceBytes = 32 << 10
	// sightEvery is how often a browser refreshes the sight of its person.
	sightEvery = 20 * time.Second
	// sightAgain is the delay before a retry if the sight cannot be determined. sightUntil is how
	// long the last sight stays valid.
	sightAgain, sightUntil = 4 * time.Second, 45 * time.Second
	// sightTime is the time limit of a refresh.
	sightTime = 8 * time.Second
)

var pieces = sync.Pool{New: func() any { b := make([]byte, 0, pieceBytes+4096); return &b }}

// writer sends events. *web.Events implements it.
type writer interface {
	Write(frames ...[]byte) error
}

// browser is a cursor in the log. Only one goroutine uses it.
type browser struct {
	hub      *Hub
	ask      func(context.Context) (Sight, error)
	w        writer
	sight    Sight
	seen     time.Time // when the sight was refreshed
	check    time.Time // when to refresh it
	next     uint64    // the number of the next entry
	after    int64     // entries up to this position are not sent
	position int64     // the last position that the browser has received
	epoch    int
	beatNo   int // of the last beat that was sent
}

var errSight = errors.New("the rights of the person are unknown")

// run sends events until ctx ends or the client disconnects.
func (b *browser) run(ctx context.Context) error {
	b.beatNo = b.hub.current.Load().beatNo
	if err := b.write("beat", b.hub.beatNow(b.position, b.sight)); err != nil {
		return err
	}
	for {
		t := b.hub.current.Load()
		if err := b.refresh(ctx); err != nil {
			return err
		}
		if b.next < t.to {
			if err := b.send(t); err != nil {
				return err
			}
			continue
		}
		b.position = max(b.position, t.position)
		if t.beatNo > b.beatNo {
			b.beatNo = t.beatNo
			if err := b.write("beat", t.beatOf(b.sight)); err != nil {
				return err
			}
		}
		if !b.wait(ctx, t) {
			return ctx.Err()
		}
	}
}

// wait waits for the next tick, or until the sight is due. It returns false if ctx ended.
func (b *browser) wait(ctx context.Context, t *tick) bool {
	timer := time.NewTimer(max(0, time.Until(b.check)))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-b.sight.Expired():
		b.check = time.Now()
	case <-timer.C:
	case <-t.next:
	}
	return true
}

// refresh handles a reset of the hub, and refreshes the sight if that is due.
func (b *browser) refresh(ctx context.Context) error {
	if epoch, reason, _ := b.hub.state(); epoch != b.epoch {
		if err := b.reset(reason); err != nil {
			return err
		}
	}
	if time.Now().Before(b.check) {
		return nil
	}
	ask, cancel := context.WithTimeout(ctx, sightTime)
	s, err := b.ask(ask)
	cancel()
	now := time.Now()
	var p *api.Problem
	switch {
	case err == nil:
	case errors.As(err, &p) && (p.Status == http.StatusUnauthorized || p.Status == http.StatusForbidden), now.Sub(b.seen) > sightUntil:
		return errors.Join(errSight, err)
	default:
		b.check = now.Add(sightAgain)
		return nil
	}
	before := b.sight
	b.sight, b.seen, b.check = s, now, now.Add(sightEvery)
	if before.Key() == s.Key() {
		return nil
	}
	return b.write("rights", serialize(api.Rights{Rights: s.Key()}))
}

// send sends the changes of a tick, or older ones if the browser is behind.
func (b *browser) send(t *tick) error {
	shared := t
	if b.next != t.from {
		shared = b.hub.recentFrom(b.next)
	}
	if shared == nil || b.after > 0 {
		return b.sendPiece(t)
	}
	f, ok := shared.frame(b.sight.Key(), func() ([]byte, bool) {
		var p piece
		_, ok := b.hub.collect(&p, shared.from, shared.to, 1<<30, 0, b.sight)
		if !ok || len(p.data) == 0 {
			return nil, ok
		}
		return p.append(make([]byte, 0, p.size+128), 0), true
	})
	if !ok {
		return b.sendPiece(t)
	}
	if len(f) > 0 {
		if err := b.w.Write(f); err != nil {
			return err
		}
	}
	b.next, b.position = shared.to, max(b.position, shared.position)
	return nil
}

// sendPiece sends a part of the entries that the browser lacks up to the end of a tick.
func (b *browser) sendPiece(t *tick) error {
	var p piece
	next, ok := b.hub.collect(&p, b.next, t.to, pieceBytes, b.after, b.sight)
	if !ok {
		return b.reset("behind")
	}
	b.next = next
	if b.after > 0 && p.last > b.after {
		b.after = 0 // all further entries are new to the browser
	}
	if len(p.data) == 0 {
		b.position = max(b.position, p.last)
		return nil
	}
	buffer := pieces.Get().(*[]byte)
	event := p.append((*buffer)[:0], max(0, t.position-p.last))
	err := b.w.Write(event)
	if cap(event) <= 4*pieceBytes {
		*buffer = event
		pieces.Put(buffer)
	}
	b.position = max(b.position, p.last)
	return err
}

// reset tells the browser to load everything again, and continues at the head.
func (b *browser) reset(reason string) error {
	b.hub.resets.Add(1)
	b.next, b.position, b.epoch = b.hub.end()
	b.after = 0
	return b.write("reset", serialize(api.Reset{Reason: reason, Position: b.position}))
}

// write sends an event with the position of the browser.
func (b *browser) write(event string, data []byte) error {
	return b.w.Write(web.Frame(event, strconv.FormatInt(b.position, 10), data))
}
