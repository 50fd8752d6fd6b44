package record

import (
	"context"
	"fmt"
	"time"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/reflector"
)

// attend looks after the health of the reflector: it says what happens, and notes in
// the ledger what can not be seen.
func (f *follower) attend(ctx context.Context) {
	a := attendant{f: f}
	tick := time.NewTicker(f.r.attention())
	defer tick.Stop()
	for {
		h, news := f.reflector.Health()
		a.tell(&h)
		if err := a.note(ctx, &h); err != nil && ctx.Err() == nil {
			f.log.Error("a gap is not noted yet", "err", err)
		}
		select {
		case <-news:
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// attendant remembers what was told and noted.
type attendant struct {
	f       *follower
	order   delta.Order
	invalid uint64
	lost    time.Time // when it was last noted that nothing can be seen
}

// again is how often it is noted that nothing can be seen: another recorder may have
// seen it until then.
const again = time.Minute

// tell logs the beginning, change and end of faults, and unusable objects.
func (a *attendant) tell(h *reflector.Health) {
	if h.Invalid > a.invalid {
		a.f.log.Warn("an object cannot be used: what was recorded of it stays", "count", h.Invalid-a.invalid, "err", h.LastInvalid)
		a.invalid = h.Invalid
	}
	if h.Order != a.order {
		a.f.log.Warn("the server does not order resource versions, so the history of this type may lack revisions (gaps with cause unordered)", "order", h.Order.String())
		a.order = h.Order
	}
	if h.Phase == reflector.Stopped {
		return
	}
	fault := faultlog.State{}
	if h.Err != nil {
		fault = faultlog.State{Kind: h.Fault.String(), Err: h.Err, Remedy: remedy(h.Err)}
	}
	fault.Attrs = []any{"version", h.Version}
	a.f.faults.follow.See(fault)
}

// note writes to the ledger.
func (a *attendant) note(ctx context.Context, h *reflector.Health) error {
	cause := causeOf(h.Fault)
	if cause == "" {
		a.lost = time.Time{}
		return nil
	}
	f := a.f
	from := max(h.Version, f.resume)
	if queued, _ := f.queue.queue.Len(); from == 0 || queued > 0 || f.writing.Load() || time.Since(a.lost) < again {
		return nil
	}
	now := time.Now()
	opened, err := f.d.lose(ctx, f.place, f.recorder, hole{cause: cause, from: from, fromAt: now, detail: fmt.Sprint(h.Err)})
	if err != nil {
		return err
	}
	if a.lost = now; opened {
		f.health.began(cause)
	}
	f.holes.Add(1)
	return nil
}
