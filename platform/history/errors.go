package history

import (
	"errors"

	"github.com/vedette-io/vedette/platform/internal/bodies"
)

// ErrUnknown is returned for an object, a type or a revision that is not recorded.
var ErrUnknown = errors.New("not found in the history")

// ErrNoBody is returned for a revision whose body retention has removed. Its state and
// times are still recorded.
var ErrNoBody = bodies.ErrNoBody
