package clientgo

import (
	"maps"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vedette-io/vedette/store"
)

// lazy is an object that is not decoded yet. It is for readers that check labels first and
// then copy: DeepCopyObject returns the object in its own type. Kept lists hold lazy
// objects, with the parts that were read.
type lazy struct {
	entry   store.Entry
	shared  *sharedObjects
	invalid func(error)

	meta    atomic.Pointer[lazyMeta]
	copied  atomic.Bool
	decoded atomic.Pointer[any] // from the second copy on
}

// after marks l as copied if the object of an earlier revision was copied.
func (l *lazy) after(earlier any) *lazy {
	if was, ok := earlier.(*lazy); ok && was.copied.Load() {
		l.copied.Store(true)
	}
	return l
}

// GetObjectKind implements runtime.Object.
func (l *lazy) GetObjectKind() schema.ObjectKind { return schema.EmptyObjectKind }

// DeepCopyObject implements runtime.Object. The object belongs to the caller. If it
// cannot be decoded, the error is reported, and the object has only its name.
func (l *lazy) DeepCopyObject() runtime.Object {
	obj, err := l.private()
	if err == nil {
		if o, ok := obj.(runtime.Object); ok {
			return o
		}
	} else {
		l.invalid(err)
	}
	empty := l.shared.codec.empty()
	if o, ok := empty.(metav1.Object); ok {
		key := l.entry.Key()
		o.SetNamespace(key.Namespace)
		o.SetName(key.Name)
	}
	return empty
}

// private returns an object that belongs to the caller. An object that is copied twice is
// probably copied again, and copying a decoded object costs less than decoding it.
func (l *lazy) private() (any, error) {
	if obj := l.decoded.Load(); obj != nil {
		return copied(*obj), nil
	}
	if !l.copied.Swap(true) {
		return l.shared.private(l.entry)
	}
	obj, err := l.shared.entry(l.entry)
	if err != nil {
		return nil, err
	}
	l.decoded.Store(&obj)
	return copied(obj), nil
}

// GetObjectMeta implements metav1.ObjectMetaAccessor. The metadata has the names, the
// version and the labels. It must not be changed.
func (l *lazy) GetObjectMeta() metav1.Object {
	if m := l.meta.Load(); m != nil {
		return m
	}
	key := l.entry.Key()
	m := &lazyMeta{ObjectMeta: &metav1.ObjectMeta{
		Namespace: key.Namespace, Name: key.Name,
		UID: types.UID(l.entry.UID()), ResourceVersion: l.entry.Version().String(),
	}, entry: l.entry}
	l.meta.Store(m)
	return m
}

// lazyMeta reads labels off the bytes.
type lazyMeta struct {
	*metav1.ObjectMeta
	entry  store.Entry
	labels atomic.Pointer[map[string]string]
}

// GetLabels implements metav1.Object.
func (m *lazyMeta) GetLabels() map[string]string {
	if labels := m.labels.Load(); labels != nil {
		return *labels
	}
	labels := maps.Collect(m.entry.Record().Labels())
	m.labels.Store(&labels)
	return labels
}
