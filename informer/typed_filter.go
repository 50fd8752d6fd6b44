package informer

import (
	"sync/atomic"

	"github.com/vedette-io/vedette/store"
)

// Changed chooses the updates for which a function of the decoded objects returns true:
//
//	informer.Changed(func(old, new *corev1.Pod) bool { return old.Status.Phase != new.Status.Phase })
//
// The function runs on the consumer's goroutine. It must not change or keep the objects.
// Each update that earlier filters choose costs two decoded objects, so put filters that
// read bytes, such as GenerationChanged or FieldChanged, first. If an object cannot be
// decoded, or the function panics, the update passes.
func Changed[T any](changed func(old, new *T) bool) Filter {
	return decoding(func(d *decoder[T]) Filter {
		return Filter{update: func(old, now store.Entry) bool {
			was, err := d.entry(old)
			if err != nil {
				return true
			}
			is, err := d.entry(now)
			return err != nil || changed(was, is)
		}}
	})
}

// ChangedBy chooses the updates that change a value of the decoded object:
//
//	informer.ChangedBy(job.StateOf[batchv1.Job])
//	informer.ChangedBy(func(pod *corev1.Pod) string { return pod.Spec.NodeName })
//
// It is Changed for a function of one object, and the same rules hold. The function gets
// objects with apiVersion and kind, as all objects of the informer have them.
func ChangedBy[T any, V comparable](value func(*T) V) Filter {
	return Changed(func(old, now *T) bool { return value(old) != value(now) })
}

// decoding returns a filter of decoded objects. build makes it for one decoder.
func decoding[T any](build func(*decoder[T]) Filter) Filter {
	of := func(c completion) Filter { return build(&decoder[T]{count: new(atomic.Uint64), completion: c}) }
	f := of(completion{})
	f.typed = of
	return f
}

// Matching chooses the objects for which a function of the decoded object returns true. The
// function runs on the consumer's goroutine and must always return the same result for the
// same object. It must not change or keep the object. An update costs two decoded objects;
// WithLabels and FieldIs read bytes and cost less. An object that cannot be decoded passes.
func Matching[T any](chosen func(*T) bool) Filter {
	return decoding(func(d *decoder[T]) Filter {
		return Filter{object: func(e store.Entry) bool {
			obj, err := d.entry(e)
			return err != nil || chosen(obj)
		}}
	})
}
