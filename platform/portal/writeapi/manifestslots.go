package writeapi

import (
	"context"

	"github.com/vedette-io/vedette/platform/portal/identity"
	"github.com/vedette-io/vedette/platform/portal/web"
)

// Limits of concurrent large manifests of all people together: parsing a manifest of 2 MiB may take
// a second of CPU time, and anybody may request a check.
const (
	largeFrom  = 64 << 10 // minimum size of a large manifest, in bytes
	mostLarge  = 2
	largeOfOne = 1 // of each person
)

// manifestSlots are held by requests while their large manifests are parsed.
type manifestSlots struct{ *web.Share }

func newManifestSlots() manifestSlots { return manifestSlots{web.NewShare(mostLarge, largeOfOne)} }

// take waits until a manifest of a size may be parsed. The caller must call done afterwards.
//
// Errors: *api.Problem: no slot became free in time.
func (s manifestSlots) take(ctx context.Context, bytes int) (done func(), err error) {
	if bytes < largeFrom {
		return func() {}, nil
	}
	return s.Take(ctx, identity.Of(ctx).ID())
}
