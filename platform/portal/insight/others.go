package insight

import (
	"strconv"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/portal/insight/words"
)

// others are the pods of an attempt that ended badly after the first one.
type others struct {
	pods int
	// first and last are the delays of their endings after the first pod.
	first, last time.Duration
}

// othersOf finds the pods of an attempt that ended badly after a pod. Each pod counts with
// its earliest ending in the attempt.
func othersOf(endings []job.Ending, a *attempt, e *job.Ending) (o others) {
	if e.Pod == "" || e.At.IsZero() {
		return o
	}
	ends := map[string]time.Time{}
	for i := range endings {
		other := &endings[i]
		if other.Pod == e.Pod || other.At.Before(e.At) || !a.Has(other.Moment()) {
			continue
		}
		if at, known := ends[other.Pod]; !known || other.At.Before(at) {
			ends[other.Pod] = other.At
		}
	}
	for _, at := range ends {
		after := at.Sub(e.At)
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
