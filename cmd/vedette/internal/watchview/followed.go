package watchview

import (
	"time"

	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/reflector"
)

// redraw is the time between two updates of the progress line.
const redraw = 200 * time.Millisecond

// Followed is a type that is being watched.
type Followed struct {
	Resource kube.Resource
	Inf      *informer.Informer[Object]
}

// Hopeless returns the error of a first list that a retry cannot fix.
func Hopeless(name string, h reflector.Health) error {
	switch h.Fault {
	case reflector.Denied, reflector.Absent, reflector.Unsupported:
		return h.Err
	}
	return nil
}
