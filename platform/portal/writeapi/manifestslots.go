package writeapi

import (
	"context"
	"time"

	"github.com/vedette-io/vedette/platform/portal/web"
)

// Limits of concurrent large manifests of all people together: parsing a manifest of 2 MiB may take
// a second of CPU time, and anybody may request a check.
const (
	largeFrom = 64 << 10 // minimum size of a large manifest, in bytes
	mostLarge = 2
)

// manifestSlots are held by requests while their large manifests are parsed.
type manifestSlots chan struct{}

// take waits until a manifest of a size may be parsed. The caller must call done afterwards.
//
// Errors: *api.Problem: ctx ended first.
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
