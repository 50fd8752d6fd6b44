package informer

import (
	"log/slog"
	"sync"
	"time"
)

// Informer keeps a copy of the objects of type T. Create it with Watch, Across,
// Project, For or New.
type Informer[T any] struct {
	engine   *engine
	single   bool // made by New, with a source of its own
	decoder  decoder[T]
	resync   time.Duration // for the handlers of this informer
	logger   func() *slog.Logger
	shared   share // nil if the informer belongs to no factory
	released sync.Once
}

// share is the part that an informer has in an engine of a factory.
type share interface {
	release()
	ended() <-chan struct{} // closed when the engine has ended
	users() int
}

// HasSelectors reports whether the informer has a label or field selector.
func (i *Informer[T]) HasSelectors() bool {
	return i.engine.cfg.LabelSelector != "" || i.engine.cfg.FieldSelector != ""
}
