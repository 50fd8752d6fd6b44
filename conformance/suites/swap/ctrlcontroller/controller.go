// Package ctrlcontroller has the constructor that copied tests of controller-runtime's
// controllers call.
package ctrlcontroller

import (
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/vedette-io/vedette/compat/controllerruntime"
	"github.com/vedette-io/vedette/conformance/suites/swap/engine"
)

// New replaces the function of controller-runtime's controller, with the queue of the
// engine.
func New(name string, m manager.Manager, opts controller.Options) (controller.Controller, error) {
	if engine.Ours() && opts.NewQueue == nil {
		opts.NewQueue = controllerruntime.NewQueue[reconcile.Request]
	}
	return controller.New(name, m, opts)
}
