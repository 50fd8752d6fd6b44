// Package fake has the constructor of sources that copied tests of tools/cache call.
package fake

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fcache "k8s.io/client-go/tools/cache/testing"

	"github.com/vedette-io/vedette/conformance/suites/swap/engine"
)

// NewFakeControllerSource replaces the function of tools/cache/testing. A new source of
// client-go's has version 0, which no server has. So this one has already had an object.
func NewFakeControllerSource() *fcache.FakeControllerSource {
	source := fcache.NewFakeControllerSource()
	if !engine.Stock() {
		first := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "first"}}
		source.Add(first)
		source.Delete(first.DeepCopy())
	}
	return source
}
