package web

import (
	"context"
	"time"
)

// Share limits how much of something all people together hold at once, and how much of it each
// person. A person waits for their own share before they wait for that of all, so that the requests
// of one person delay another person by at most that share. Any goroutine may use it.
type Share struct {
	all  chan struct{}
	each *ConcurrencyLimit
}

// NewShare returns a share of all places, of which each person may hold each.
func NewShare(all, each int) *Share {
	return &Share{all: make(chan struct{}, all), each: NewConcurrencyLimit(each)}
}

// Take waits for a place, at most 5 s, in the order of arrival. The caller must call done afterwards.
// The empty person, which is the user who runs the portal, has no share of their own.
//
// Errors: *api.Problem: no place became free in time.
func (s *Share) Take(ctx context.Context, person string) (done func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, slotTime)
	defer cancel()
	leave := func() {}
	if person != "" {
		own, ok := s.each.take(ctx, person)
		if !ok {
			return nil, TooMany(time.Second)
		}
		leave = own
	}
	select {
	case s.all <- struct{}{}:
		return func() {
			<-s.all
			leave()
		}, nil
	case <-ctx.Done():
		leave()
		return nil, TooMany(time.Second)
	}
}
