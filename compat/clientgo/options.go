package clientgo

import (
	"log/slog"

	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/internal/userlog"
)

// Options are settings of an informer that client-go does not have. The zero value works.
type Options struct {
	// Storage is informer.Packed (the default), which keeps bytes and decodes an object when
	// it is read, or informer.Live, which keeps each object decoded. Live pays if most
	// objects are read again and again, as with a lister in every reconcile. [Report]
	// advises it.
	Storage informer.Storage
	// DropManagedFields removes metadata.managedFields from objects: up to 60% of their
	// memory. Programs that apply objects, or that compare who owns a field, need them.
	// Kept by default, as by client-go.
	DropManagedFields bool
	// Stock uses client-go's own informer. It is for list and watch functions that
	// change or filter the objects that they return: the byte tunnel bypasses them.
	Stock bool
	// Backlog is the number of changes that may wait for a handler before they are
	// folded; default store.DefaultBacklog.
	Backlog int
	// Logger gets faults, and why an informer is not accelerated; default
	// slog.Default() at the time of the line.
	Logger *slog.Logger
	// Started is called when the informer runs. reason is "" if the engine does the
	// work, otherwise the reason why client-go's own informer does it. It must not block;
	// default none.
	Started func(reason string)
}

func (o *Options) started(reason string) {
	if o.Started != nil {
		o.Started(reason)
	}
}

func (o *Options) logger() *slog.Logger {
	return userlog.Of(o.Logger)
}
