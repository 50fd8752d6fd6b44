package kube

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/internal/jsonchange"
)

// MergeFrom returns the merge patch that makes the change from before to after. Fields in which
// these do not differ stay as they are on the server, also those that both lack:
//
//	after := before.DeepCopy()
//	after.Spec.Replicas = new(int32(3))
//	_, err := client.Patch(ctx, kube.KeyOf(after), kube.MergeFrom(before, after))
//
// before and after must be states of one object, as one Go type, and before must have the
// version that was read. A merge patch replaces lists as a whole. So if a list differs,
// Patch reads the object and completes the elements with the fields that the Go type lacks;
// the patch is then a conflict if the object has changed since before was read.
func MergeFrom(before, after metav1.Object) Patch {
	d, err := differenceOf(before, after)
	if err != nil {
		return Patch{err: &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("the patch cannot be made: %v", err)}}
	}
	patch, lists := d.change.MergePatch()
	p := MergePatch(patch)
	if lists == jsonchange.ReplacesLists {
		p.difference = &d
	}
	return p
}
