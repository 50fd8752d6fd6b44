package queue

import (
	"fmt"
	"reflect"
	"slices"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

// Guard rejects items that a queue cannot find again: they would cause a panic or stay in
// the queue.
type Guard[T comparable] struct {
	dynamic bool // an item may hold values of any type
	unequal bool // an item may be different from itself
}

// NewGuard returns the guard of a type.
func NewGuard[T comparable]() Guard[T] {
	t := reflect.TypeFor[T]()
	dynamic := holds(t, reflect.Interface)
	return Guard[T]{dynamic, dynamic || holds(t, reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128)}
}

// holds reports whether values of a comparable type are or have parts of some kinds.
func holds(t reflect.Type, kinds ...reflect.Kind) bool {
	switch t.Kind() {
	case reflect.Array:
		return holds(t.Elem(), kinds...)
	case reflect.Struct:
		for i := range t.NumField() {
			if holds(t.Field(i).Type, kinds...) {
				return true
			}
		}
	}
	return slices.Contains(kinds, t.Kind())
}

// Comparable reports whether an item can be looked up without a panic.
func (g Guard[T]) Comparable(item T) bool { return !g.dynamic || comparableNow(item) }

func comparableNow[T comparable](item T) bool {
	t := reflect.TypeOf(item)
	if t == nil {
		return true
	}
	switch t.Kind() {
	case reflect.Array, reflect.Struct:
		return reflect.ValueOf(item).Comparable()
	}
	return t.Comparable()
}

// Admit reports whether a queue can hold an item, and logs an item that it cannot hold.
func (g Guard[T]) Admit(item T) bool { return !g.unequal || g.check(item) }

func (g Guard[T]) check(item T) bool {
	if same := item; g.Comparable(item) && item == same {
		return true
	}
	utilruntime.HandleError(fmt.Errorf("workqueue ignores an item of type %T: it cannot be compared, or not with itself; add a comparable key", item))
	return false
}
