package main

import (
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/compat/clientgo"
)

// health describes the informers of a program.
type health struct {
	// Informers counts informers by the reason why they are not accelerated; "" if they
	// are.
	Informers map[string]int `json:"informers,omitempty"`
	// Decodes counts the objects that our informers decoded, by type.
	Decodes map[string]uint64 `json:"decodes,omitempty"`
}

func (h *health) add(kind string, inf cache.SharedIndexInformer) {
	of, ok := clientgo.HealthOf(inf)
	if !ok {
		of.Reason = "an informer of client-go"
	}
	h.Informers[of.Reason]++
	if n := of.Stats.Decodes; n > 0 {
		h.Decodes[kind] += n
	}
}

// healthOf describes the informers that a factory has created so far.
func healthOf(typed informers.SharedInformerFactory, others map[schema.GroupVersionResource]cache.SharedIndexInformer) health {
	h := health{Informers: map[string]int{}, Decodes: map[string]uint64{}}
	closed := make(chan struct{})
	close(closed)
	for kind := range typed.WaitForCacheSync(closed) {
		example := reflect.New(kind.Elem()).Interface().(runtime.Object) // the keys are pointers to the types of objects
		h.add(kind.Elem().String(), typed.InformerFor(example, nil))
	}
	for resource, inf := range others {
		h.add(resource.Resource, inf)
	}
	return h
}
