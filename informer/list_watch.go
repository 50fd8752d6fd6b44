package informer

import (
	"context"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/reflector/clusterid"
)

// listWatch is the list and watch of one scope. engine.mu guards the fields after guard;
// only reconcile starts and stops it.
type listWatch struct {
	scope   delta.Scope
	cluster *clusterState
	source  reflector.Source
	guard   *clusterid.Guard // wraps source

	reflector *reflector.Reflector
	restored  bool               // its objects and version come from the snapshot file
	check     *contentCheck      // compares these objects; nil if there is nothing to compare
	leaving   bool               // reconcile is about to stop it
	succeeds  bool               // its list will replace narrower scopes
	listed    *delta.Delta       // the End of that list, held back
	cancel    context.CancelFunc // nil if it is not running
	done      chan struct{}
}
