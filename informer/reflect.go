package informer

import (
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/wire"
)

// reflect creates the reflector of a scope. It resumes at a version or, if the version
// is zero, begins with a list.
func (e *engine) reflect(lw *listWatch, sink reflector.Sink, resume wire.Version) (*reflector.Reflector, error) {
	cfg := e.cfg.Reflector
	cfg.Scope, cfg.Resume, cfg.Lists = lw.scope, resume, reflector.ListWhenNeeded
	return reflector.New(lw.guard, sink, cfg)
}
