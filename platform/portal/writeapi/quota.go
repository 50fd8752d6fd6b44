package writeapi

import (
	"errors"
	"sync"
	"time"

	"github.com/vedette-io/vedette/platform/notify/delivery"

	"github.com/vedette-io/vedette/platform/portal/web"
)

// Limits of the messages that one person can request.
const (
	messagesOfPerson = 5
	messagesWithin   = 10 * time.Minute
	maxPersons       = 5000
)

// quotas counts the messages that people request directly: codes and tests. The zero value
// is ready to use.
type quotas struct {
	mu   sync.Mutex
	sent map[string][]time.Time
}

// take counts a message of a person.
//
// Errors: *api.Problem: there were too many.
func (q *quotas) take(person string, now time.Time) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.sent == nil {
		q.sent = map[string][]time.Time{}
	}
	recent := q.sent[person][:0:0]
	for _, at := range q.sent[person] {
		if now.Sub(at) < messagesWithin {
			recent = append(recent, at)
		}
	}
	if len(recent) >= messagesOfPerson {
		return web.TooMany(messagesWithin - now.Sub(recent[0]))
	}
	if len(q.sent) >= maxPersons {
		for name, times := range q.sent {
			if now.Sub(times[len(times)-1]) >= messagesWithin || len(q.sent) >= maxPersons {
				delete(q.sent, name)
			}
		}
	}
	q.sent[person] = append(recent, now)
	return nil
}

// tooMany makes a problem of delivery.ErrTooMany.
func tooMany(err error) error {
	if errors.Is(err, delivery.ErrTooMany) {
		return web.Conflict("The subscription was not stored: " + err.Error() + ".")
	}
	return err
}
