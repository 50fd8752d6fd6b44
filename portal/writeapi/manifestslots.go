package writeapi

import (
	"context"
	"time"

	"github.com/vedette-io/vedette/portal/web"
)

// These bound what all people together make the portal read at once: a manifest of 2 MiB may take
// a processor for a second, and anybody may have one checked.
const (
	largeFrom = 64 << 10 // bytes of a manifest that takes a turn
	mostLarge = 2
)

// turns are held by the requests whose large manifests are being read.
type manifestSlots chan struct{}

// take waits until a manifest of some bytes may be read. The caller calls done then.
//
// Errors: *api.Problem: ctx has ended before.
func (s manifestSlots) take(ctx context.Context, bytes int) (done func(), err error) {
	if bytes < largeFrom {
		return func() {}, nil
	}
	select {
	case s <- struct{}{}:
		return func() { <-s }, nil
	case <-ctx.Done():
		return nil, web.TooMany(time.Second)
	}
}
