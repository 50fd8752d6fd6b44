package contest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/bench/workload"
	"github.com/vedette-io/vedette/wire"
)

// floorDecoded is a floor for handlers and reconcilers that read objects: it also decodes
// each object once, with wire.DecodeShared, and keeps it in a map. The generated code of
// Kubernetes takes longer.
type floorDecoded struct {
	*floor
	handlers []Handler
	empty    reflect.Type // of the objects

	mu      sync.RWMutex
	objects map[cache.ObjectName]metav1.Object
	byApp   map[string]map[cache.ObjectName]bool // nil: no index
}

// openFloorDecoded prepares a floor for one kind in protobuf.
func openFloorDecoded(env Env) (Cache, error) {
	if len(env.Kinds) != 1 || env.Encoding != workload.Protobuf {
		return nil, errors.New("floor-decoded has one kind, in protobuf")
	}
	f, err := newFloor(&env, env.Kinds[0])
	if err != nil {
		return nil, err
	}
	d := &floorDecoded{floor: f, handlers: env.Handlers, empty: reflect.TypeOf(env.Kinds[0].New(0, 0)).Elem(), objects: map[cache.ObjectName]metav1.Object{}}
	if env.Index {
		d.byApp = map[string]map[cache.ObjectName]bool{}
	}
	f.each = d.apply
	return d, nil
}

// apply applies an event, and tells the handlers.
func (d *floorDecoded) apply(frame []byte) error {
	kind, err := bytesOf(frame, 1)
	if err != nil {
		return err
	}
	obj, err := d.decode(frame)
	if err != nil {
		return err
	}
	name := cache.ObjectName{Namespace: obj.GetNamespace(), Name: obj.GetName()}
	d.mu.Lock()
	old := d.objects[name]
	if string(kind) == "DELETED" {
		delete(d.objects, name)
	} else {
		d.objects[name] = obj
	}
	d.index(name, old, obj, string(kind) == "DELETED")
	d.mu.Unlock()
	for _, h := range d.handlers {
		sent := int64(0)
		if h.Reads == ReadBoth && old != nil {
			stampOf(old)
		}
		if h.Reads > ReadNothing {
			sent = stampOf(obj)
		}
		h.Told(name.Name, sent)
	}
	return nil
}

// index moves an object to its place in the index.
func (d *floorDecoded) index(name cache.ObjectName, old, obj metav1.Object, deleted bool) {
	if d.byApp == nil {
		return
	}
	app := obj.GetLabels()["app"]
	if old != nil {
		if before := old.GetLabels()["app"]; deleted || before != app {
			delete(d.byApp[before], name)
		} else {
			return
		}
	}
	if deleted {
		return
	}
	if d.byApp[app] == nil {
		d.byApp[app] = map[cache.ObjectName]bool{}
	}
	d.byApp[app][name] = true
}

// decode decodes the object in a frame: a WatchEvent with an Unknown.
func (d *floorDecoded) decode(frame []byte) (metav1.Object, error) {
	raw, err := bytesOf(frame, 2, 1)
	if err != nil {
		return nil, err
	}
	raw, ok := bytes.CutPrefix(raw, []byte("k8s\x00"))
	if !ok {
		return nil, errors.New("the object of an event is not in protobuf")
	}
	if raw, err = bytesOf(raw, 2); err != nil {
		return nil, err
	}
	obj := reflect.New(d.empty).Interface()
	return obj.(metav1.Object), wire.DecodeShared(wire.Record{Encoding: wire.Protobuf, Body: raw}, obj)
}

// bytesOf returns the bytes of the field with a path of numbers, in messages whose fields
// before it are all length-delimited.
func bytesOf(message []byte, path ...uint64) ([]byte, error) {
	for _, number := range path {
		for {
			tag, n := binary.Uvarint(message)
			size, m := binary.Uvarint(message[max(n, 0):])
			if n <= 0 || m <= 0 || tag&7 != 2 || uint64(len(message)-n-m) < size {
				return nil, fmt.Errorf("a frame of the server lacks field %d", number)
			}
			value := message[n+m:][:size]
			if message = message[n+m:][size:]; tag>>3 == number {
				message = value
				break
			}
		}
	}
	return message, nil
}

// Names implements Reader.
func (d *floorDecoded) Names() []cache.ObjectName {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return slices.SortedFunc(maps.Keys(d.objects), func(x, y cache.ObjectName) int { return bytes.Compare([]byte(x.String()), []byte(y.String())) })
}

// Get implements Reader.
func (d *floorDecoded) Get(_ context.Context, name cache.ObjectName) (metav1.Object, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.objects[name], nil
}

// ByApp implements Reader.
func (d *floorDecoded) ByApp(_ context.Context, app string, f func(metav1.Object)) error {
	d.mu.RLock()
	defer d.mu.RUnlock()
	for name := range d.byApp[app] {
		f(d.objects[name])
	}
	return nil
}

// Select implements Reader.
func (d *floorDecoded) Select(_ context.Context, s labels.Selector, f func(metav1.Object)) error {
	d.mu.RLock()
	defer d.mu.RUnlock()
	for _, obj := range d.objects {
		if s.Matches(labels.Set(obj.GetLabels())) {
			f(obj)
		}
	}
	return nil
}
