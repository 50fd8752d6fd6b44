package clientgo

import (
	"errors"
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/compat/internal/hidden"
)

// stockParts are what an informer of client-go was constructed with.
type stockParts struct {
	informer cache.SharedIndexInformer // without wrappers
	lw       cache.ListerWatcher
	example  runtime.Object
	resync   time.Duration
	value    reflect.Value // the struct
}

// cachePath is the package of client-go's informers.
const cachePath = "k8s.io/client-go/tools/cache"

var (
	errNotStock = errors.New("it is not an informer of client-go")
	errHandlers = errors.New("handlers were added before it was adopted")
	errFields   = errors.New("this version of client-go keeps its parts in other fields")
	errStarted  = errors.New("it has started")
)

// takeApart returns the parts of an informer of client-go that has not started. They are
// in unexported fields, because client-go has no other way to get them.
//
// Errors: an informer that cannot be adopted, with the reason.
func takeApart(inf cache.SharedIndexInformer) (*stockParts, error) {
	inf = unwrap(inf)
	v := reflect.ValueOf(inf)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct || v.Elem().Type().PkgPath() != cachePath {
		return nil, errNotStock
	}
	p := &stockParts{informer: inf, value: v.Elem()}
	ok := hidden.Field(p.value, "listerWatcher", &p.lw) && hidden.Field(p.value, "objectType", &p.example) &&
		hidden.Field(p.value, "defaultEventHandlerResyncPeriod", &p.resync)
	started := false
	if !ok || !hidden.Field(p.value, "started", &started) || p.lw == nil {
		return nil, errFields
	}
	if started {
		return nil, errStarted
	}
	return p, p.checkHandlers()
}

// checkHandlers returns an error if the informer has handlers.
func (p *stockParts) checkHandlers() error {
	processor := p.value.FieldByName("processor")
	if processor.Kind() != reflect.Pointer || processor.Elem().Kind() != reflect.Struct {
		return errFields
	}
	listeners := processor.Elem().FieldByName("listeners")
	if listeners.Kind() != reflect.Map {
		return errFields
	}
	if listeners.Len() > 0 {
		return errHandlers
	}
	return nil
}

// transform returns the function that was set with SetTransform; nil for none.
func (p *stockParts) transform() cache.TransformFunc {
	var f cache.TransformFunc
	hidden.Field(p.value, "transform", &f)
	return f
}

// watchErrors returns the function that was set with SetWatchErrorHandler; nil for none.
func (p *stockParts) watchErrors() cache.WatchErrorHandlerWithContext {
	var f cache.WatchErrorHandlerWithContext
	hidden.Field(p.value, "watchErrorHandler", &f)
	return f
}

// unwrap returns the informer below wrappers that embed one, such as the typed ones of
// client-go.
func unwrap(inf cache.SharedIndexInformer) cache.SharedIndexInformer {
	for {
		v := reflect.ValueOf(inf)
		if v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		if v.Kind() != reflect.Struct || v.Type().PkgPath() != cachePath {
			return inf // a wrapper of other code may override methods
		}
		f := v.FieldByName("SharedIndexInformer")
		if !f.IsValid() || !f.CanInterface() {
			return inf
		}
		inner, ok := f.Interface().(cache.SharedIndexInformer)
		if !ok {
			return inf
		}
		inf = inner
	}
}
