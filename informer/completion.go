package informer

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vedette-io/vedette/kube"
)

// completion sets in decoded objects what their bytes do not say: apiVersion and kind, which
// servers leave out in protobuf and in lists of built-in types, and the mark of objects that a
// transform has changed.
type completion struct {
	apiVersion, kind string // empty if the Go type does not determine them
	partial          bool
}

// completionOf returns the completion of the objects of a selection.
func completionOf(cfg *Config, sel *selection) completion {
	c := completion{partial: cfg.Transform != nil}
	if kind, ok := sel.target.Kind(); ok && sel.projection == "" {
		c.apiVersion, c.kind = kind.ToAPIVersionAndKind()
	}
	return c
}

// complete changes an object that nobody else has yet.
func (c *completion) complete(obj any) {
	if typed, ok := obj.(interface{ GetObjectKind() schema.ObjectKind }); ok && c.kind != "" {
		if meta := typed.GetObjectKind(); meta.GroupVersionKind().Kind == "" {
			meta.SetGroupVersionKind(schema.FromAPIVersionAndKind(c.apiVersion, c.kind))
		}
	}
	if meta, ok := obj.(metav1.Object); ok && c.partial {
		kube.MarkPartial(meta)
	}
}
