package controller

import (
	"fmt"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TokenAnnotation holds the token of the request that an object was written for
// last.
const TokenAnnotation = "vedette.io/token"

// Fence puts the token of a request into an object that is about to be written,
// and refuses that if one is there that is later. Together with a write that
// needs the version that was read (Update and Mutate of package kube) it keeps a
// replica that was stopped, and does not know that it has lost the key, from
// writing over its successor. Nothing is sent. A request without a token changes
// nothing.
//
// Errors: ErrFenced.
func Fence(obj metav1.Object, r Request) error {
	if r.Token == 0 {
		return nil
	}
	annotations := obj.GetAnnotations()
	last, err := strconv.ParseUint(annotations[TokenAnnotation], 10, 64)
	if err == nil && last > r.Token {
		return fmt.Errorf("%w: token %d, ours is %d", ErrFenced, last, r.Token)
	}
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[TokenAnnotation] = strconv.FormatUint(r.Token, 10)
	obj.SetAnnotations(annotations)
	return nil
}
