package contest

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/bench/workload"
	"github.com/vedette-io/vedette/compat/clientgo"
)

// resourceHandler converts a Handler to a handler of client-go.
func resourceHandler(h Handler) cache.ResourceEventHandler {
	told := func(obj any) {
		if last, ok := obj.(cache.DeletedFinalStateUnknown); ok {
			obj = last.Obj
		}
		meta, ok := obj.(metav1.Object)
		switch {
		case !ok:
		case h.Reads == ReadNothing:
			h.Told(meta.GetName(), 0)
		default:
			h.Told(meta.GetName(), stampOf(meta))
		}
	}
	update := func(old, obj any) {
		if before, ok := old.(metav1.Object); ok && h.Reads == ReadBoth {
			stampOf(before)
		}
		told(obj)
	}
	return cache.ResourceEventHandlerFuncs{AddFunc: told, UpdateFunc: update, DeleteFunc: told}
}

// stampOf returns the time in the stamp of an object.
func stampOf(obj metav1.Object) int64 { return workload.Sent(obj.GetAnnotations()[workload.StampKey]) }

// adapterHandler converts a Handler to a handler for our adapters: a handler of names, if nothing
// else is read.
func adapterHandler(h Handler) cache.ResourceEventHandler {
	if h.Reads > ReadNothing {
		return resourceHandler(h)
	}
	told := func(name cache.ObjectName) { h.Told(name.Name, 0) }
	return clientgo.KeyHandlerFuncs{
		AddFunc:    func(name cache.ObjectName, _ bool) { told(name) },
		UpdateFunc: told, DeleteFunc: told,
	}
}
