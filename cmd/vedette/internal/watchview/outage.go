package watchview

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/reflector"
)

// Outage tracks the types that cannot be watched at the moment.
type Outage struct {
	host  string
	con   *console.Console
	away  []string // names, in the order of their faults
	err   error
	since time.Time
	gaps  []string                     // names of the types that were relisted
	Known map[string]reflector.Relists // at the last call of Note
	odd   map[string]oddities
}

// oddities records the unusable objects of one type.
type oddities struct {
	told uint64 // the count when it was last reported
	at   time.Time
}

// betweenOddities is the minimum time between reports of unusable objects of one type.
const betweenOddities = 10 * time.Second

// noteOdd reports unusable objects.
func (o *Outage) noteOdd(name string, h reflector.Health) {
	last := o.odd[name]
	if h.Invalid == last.told || time.Since(last.at) < betweenOddities {
		return
	}
	o.odd[name] = oddities{h.Invalid, time.Now()}
	more := ""
	if n := h.Invalid - last.told; n > 1 {
		more = fmt.Sprintf(", the last of %d", n)
	}
	o.con.Say("%s  %s: %v%s; its last known state stays", units.Clock(time.Now()), name, h.LastInvalid, more)
}

// Note takes the health of one type, and reports whether its outage began or ended.
func (o *Outage) Note(name string, h reflector.Health) bool {
	o.noteOdd(name, h)
	i := slices.Index(o.away, name)
	if h.Relists != o.Known[name] {
		o.Known[name] = h.Relists
		o.gaps = append(o.gaps, name)
	}
	switch {
	case h.Err != nil && h.Phase != reflector.Stopped && i < 0: // waiting, or no answer
		if len(o.away) == 0 {
			o.since = time.Now()
		}
		o.away, o.err = append(o.away, name), h.Err
		return true
	case h.Err == nil && h.Phase == reflector.Watching && i >= 0:
		o.away = slices.Delete(o.away, i, i+1)
		return true
	}
	return false
}

// report prints the beginning or the end of the outage.
func (o *Outage) report(news bool) {
	switch {
	case !news:
	case len(o.away) > 0:
		o.con.Say("%s  cannot watch %s: %s; retrying until the server is back", units.Clock(time.Now()), strings.Join(o.away, ", "), kube.Explain(o.err))
	default:
		missed := "nothing was missed"
		if len(o.gaps) > 0 {
			missed = "its history of " + strings.Join(o.gaps, ", ") + " did not reach back to the last change, so objects that were created and deleted since then were not seen"
		}
		o.con.Say("%s  %s is back after %v; %s", units.Clock(time.Now()), o.host, time.Since(o.since).Round(100*time.Millisecond), missed)
		o.gaps = nil
	}
}
