package clientgo

import (
	"log/slog"

	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/wire"
)

// Options configure an informer beyond what client-go knows. The zero value works.
type Options struct {
	// Storage: informer.Packed keeps bytes and decodes an object when somebody reads it;
	// informer.Live keeps each object decoded. Live pays where most objects are read
	// again and again, as with a lister in every reconciliation. [Report] tells.
	Storage informer.Storage
	// ManagedFields: dropped by default. wire.KeepManagedFields keeps them.
	ManagedFields wire.ManagedFields
	// Stock takes client-go's own informer. It is for list and watch functions that
	// change or filter the objects that they return: the byte tunnel bypasses these.
	Stock bool
	// Backlog is how many changes may wait for a handler before they are folded;
	// default store.DefaultBacklog.
	Backlog int
	// Logger gets faults, and why an informer is not accelerated; default
	// slog.Default() at the time of the line.
	Logger *slog.Logger
	// Started is called when the informer runs and it is known what does the work: reason
	// is "" if the engine does, else it says why client-go's own informer does. It must
	// not block; default none.
	Started func(reason string)
}

func (o *Options) started(reason string) {
	if o.Started != nil {
		o.Started(reason)
	}
}

func (o *Options) logger() *slog.Logger {
	if o.Logger != nil {
		return o.Logger
	}
	return slog.Default()
}
