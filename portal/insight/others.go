package insight

import (
	"strconv"
	"time"

	"github.com/vedette-io/vedette/portal/insight/words"
)

// others are the pods of an attempt that ended badly after the first one.
type others struct {
	pods int
	// first and last are the delays of their endings after the first pod.
	first, last time.Duration
}

// othersOf finds the pods of an attempt that ended badly after a pod. Each pod counts with
// its earliest ending in the attempt.
func othersOf(endings []ending, a *attempt, e *ending) (o others) {
	if e.pod == "" || e.at.IsZero() {
		return o
	}
	ends := map[string]time.Time{}
	for i := range endings {
		other := &endings[i]
		if other.pod == e.pod || other.at.Before(e.at) || !other.at.After(a.from) || other.at.After(a.to) {
			continue
		}
		if at, known := ends[other.pod]; !known || other.at.Before(at) {
			ends[other.pod] = other.at
		}
	}
	for _, at := range ends {
		after := at.Sub(e.at)
		if o.pods++; o.pods == 1 {
			o.first, o.last = after, after
		}
		o.first, o.last = min(o.first, after), max(o.last, after)
	}
	return o
}

// sentence describes when the others stopped; "" if none did.
func (o others) sentence(s *words.Speaker) string {
	key := ""
	switch {
	case o.pods == 0:
		return ""
	case o.pods == 1 && o.last < time.Second:
		key = "fail.others.one.once"
	case o.pods == 1:
		key = "fail.others.one.later"
	case o.last < time.Second:
		key = "fail.others.many.once"
	case words.Span(o.first) == words.Span(o.last):
		key = "fail.others.many.later"
	default:
		key = "fail.others.many.within"
	}
	return s.Say(key, "n", strconv.Itoa(o.pods), "span", words.Span(o.last))
}
