package controller

import (
	"fmt"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TokenAnnotation holds the token of the request for which an object was last written.
const TokenAnnotation = "vedette.io/token"

// Fence writes the token of a request into an object before the object is written. If the
// object already has a higher token, Fence returns ErrFenced and does not change the
// object. Use it with writes that require the version that was read (Update and Mutate of
// package kube). Together they prevent a replica that was suspended, and has lost the key,
// from overwriting its successor's writes. Fence sends no request. A request without a
// token changes nothing.
//
// Errors: ErrFenced.
func Fence(obj metav1.Object, r Request) error {
	if r.Token == 0 {
		return nil
	}
	annotations := obj.GetAnnotations()
	last, err := strconv.ParseUint(annotations[TokenAnnotation], 10, 64)
	if err == nil && last > r.Token {
		return fmt.Errorf("%w: its token is %d, the request's is %d", ErrFenced, last, r.Token)
	}
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[TokenAnnotation] = strconv.FormatUint(r.Token, 10)
	obj.SetAnnotations(annotations)
	return nil
}
