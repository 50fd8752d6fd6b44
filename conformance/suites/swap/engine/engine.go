// Package engine selects the implementation that the constructors of the packages beside
// it use. The environment variable VEDETTE_SUITES_ENGINE names the engine: see package
// upstream.
package engine

import (
	"context"
	"log/slog"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/compat/clientgo"
	"github.com/vedette-io/vedette/conformance/suites/bridge"
)

var engine = os.Getenv("VEDETTE_SUITES_ENGINE")

func init() {
	if Ours() {
		slog.SetDefault(slog.New(strict{slog.NewTextHandler(os.Stderr, nil)}))
	}
}

// Stock reports whether the engine is unchanged client-go.
func Stock() bool { return engine == "stock" }

// Ours reports whether the engine is ours.
func Ours() bool { return engine == "ours" }

// Options returns the options of a bridge for the engine.
func Options() bridge.Options {
	if Ours() {
		return bridge.Options{Wrap: clientgo.Wrap}
	}
	return bridge.Options{}
}

// Source puts a source on the bridge, if the engine needs it.
func Source(lw cache.ListerWatcher, example runtime.Object) cache.ListerWatcher {
	if Stock() {
		return lw
	}
	bridged, err := bridge.ListerWatcher(lw, example, Options())
	utilruntime.Must(err) // a test that cannot start must end
	return bridged
}

// strict ends the process when our adapter falls back to client-go: passing tests would
// prove nothing.
type strict struct{ slog.Handler }

// Handle looks for the log line of a fallback.
func (s strict) Handle(ctx context.Context, r slog.Record) error {
	if strings.Contains(r.Message, "not accelerated") && os.Getenv("VEDETTE_SUITES_STOCK") == "" {
		_ = s.Handler.Handle(ctx, r)
		os.Exit(3)
	}
	return s.Handler.Handle(ctx, r)
}
