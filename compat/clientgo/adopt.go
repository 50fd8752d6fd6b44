package clientgo

import (
	"context"
	"net/http"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/compat/clientgo/internal/tunnel"
)

// Wrap returns a copy of cfg. Informers of this package can be accelerated if their
// clients were made from it. The copy does not change the other requests of a client.
func Wrap(cfg *rest.Config) *rest.Config { return tunnel.Wrap(cfg) }

// Transport returns an http.RoundTripper that the byte tunnel reaches, for clients that
// are not made from a rest.Config. It may stand anywhere in a chain of transports.
func Transport(base http.RoundTripper) http.RoundTripper { return tunnel.NewTransport(base) }

// NewSharedIndexInformer returns an informer for the objects that lw lists and watches,
// like the function of client-go. example is a pointer to the struct of the objects. It
// sends no request before it runs.
func NewSharedIndexInformer(lw cache.ListerWatcher, example runtime.Object, options cache.SharedIndexInformerOptions, own Options) cache.SharedIndexInformer {
	return Adopt(cache.NewSharedIndexInformerWithOptions(lw, example, options), own)
}

// Adopt returns an informer on the engine in place of inf, an informer of client-go that
// has not started and has no handlers. It takes over the list and watch functions,
// indexers, transform, resync period and watch error handler. From then on inf must not
// be used. If inf cannot be adopted, it does the work itself, and Health has the reason.
func Adopt(inf cache.SharedIndexInformer, own Options) cache.SharedIndexInformer {
	if own.Stock {
		return stock{inf, "Options.Stock is set", &own}
	}
	switch unwrap(inf).(type) {
	case *shared, stock:
		return inf
	}
	parts, err := takeApart(inf)
	if err != nil {
		return stock{inf, err.Error(), &own}
	}
	if reason := unsuitable(parts.lw, parts.example); reason != "" {
		return stock{inf, reason, &own}
	}
	return newShared(parts, own)
}

// ExampleOf returns the example object of an informer of client-go or of this package;
// nil if it is not known.
func ExampleOf(inf cache.SharedIndexInformer) runtime.Object {
	switch i := unwrap(inf).(type) {
	case *shared:
		return i.parts.example
	case stock:
		inf = i.SharedIndexInformer
	}
	parts, err := takeApart(inf)
	if err != nil {
		return nil
	}
	return parts.example
}

// stock is an informer of client-go that is not accelerated.
type stock struct {
	cache.SharedIndexInformer
	reason string
	own    *Options // a pointer, so that informers can be compared
}

// Run implements cache.SharedInformer.
func (s stock) Run(stop <-chan struct{}) {
	s.own.started(s.reason)
	s.SharedIndexInformer.Run(stop)
}

// RunWithContext implements cache.SharedInformer.
func (s stock) RunWithContext(ctx context.Context) {
	s.own.started(s.reason)
	s.SharedIndexInformer.RunWithContext(ctx)
}

// unsuitable returns why the tunnel cannot reach the functions of lw, where that is known
// without calling them; else "".
func unsuitable(lw cache.ListerWatcher, example runtime.Object) string {
	if example == nil || reflect.TypeOf(example).Kind() != reflect.Pointer || reflect.TypeOf(example).Elem().Kind() != reflect.Struct {
		return "the informer was made without an example object that points to a struct"
	}
	if fake, ok := lw.(interface{ IsWatchListSemanticsUnSupported() bool }); ok && fake.IsWatchListSemanticsUnSupported() {
		return "its client reports that it cannot stream lists, as fakes do"
	}
	if _, ok := lw.(cache.ListerWatcherWithContext); !ok {
		return "its list and watch functions take no context"
	}
	if plain := listWatchOf(lw); plain != nil && (plain.ListWithContextFunc == nil || plain.WatchFuncWithContext == nil) {
		return "its list and watch functions take no context"
	}
	return ""
}

// listWatchOf returns the functions in lw; nil if lw is something else.
func listWatchOf(lw cache.ListerWatcher) *cache.ListWatch {
	if plain, ok := lw.(*cache.ListWatch); ok {
		return plain
	}
	v := reflect.ValueOf(lw)
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return nil
	}
	f := v.FieldByName("ListWatch")
	if !f.IsValid() || !f.CanInterface() {
		return nil
	}
	plain, _ := f.Interface().(*cache.ListWatch)
	return plain
}
