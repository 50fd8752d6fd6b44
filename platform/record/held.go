package record

import (
	"github.com/vedette-io/vedette/platform/internal/observe"
	"github.com/vedette-io/vedette/wire"
)

// maxHeld bounds the reshown revisions that wait for a later version. Of further objects, the next
// list shows the content again.
const maxHeld = 1000

// heldRevision is a reshown revision that waits for a version later than after.
type heldRevision struct {
	observe.Observation
	after wire.Version
}
