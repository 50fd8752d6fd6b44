package informer

import (
	"errors"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/reflector"
)

// MissingPolicy determines what Run does if the server does not serve the type.
type MissingPolicy uint8

const (
	// FailIfMissing makes Run return an error if the server answers that it does not
	// serve the type, or that the type cannot be watched. Once the informer has had a list, a type that disappears is a fault
	// like others: it is retried. It is the default.
	FailIfMissing MissingPolicy = iota
	// WaitIfMissing waits until the type exists. It is for custom resources that are
	// installed later.
	WaitIfMissing
)

// permanentError returns the error that ends Run before the first list: the server does not
// serve the type, does not let anybody watch it, or refuses the field selector. began is when Run was called: the type may have
// been installed after an earlier discovery.
func permanentError(missing MissingPolicy, fieldSelector string, began time.Time, h reflector.Health) error {
	if h.Synced || h.Err == nil {
		return nil
	}
	if unknown := (*kube.UnknownResourceError)(nil); errors.As(h.Err, &unknown) {
		if missing == WaitIfMissing || !unknown.Asked.After(began) {
			return nil
		}
		return &errcode.Error{Code: errcode.NotFound, Problem: "informer", Err: unknown, Remedy: "correct Config.Resource, or set Config.Missing to WaitIfMissing"}
	}
	if unwatchable := (*kube.UnwatchableError)(nil); errors.As(h.Err, &unwatchable) && missing != WaitIfMissing {
		return &errcode.Error{Code: errcode.Invalid, Problem: "informer", Err: unwatchable, Remedy: "read the objects with a kube.Client"}
	}
	if refused := new(apierrors.StatusError); fieldSelector != "" && errors.As(h.Err, &refused) && refusesFields(refused) {
		return invalid("use a field that the type supports", "the server refuses the field selector %q: %s", fieldSelector, refused.ErrStatus.Message)
	}
	return nil
}

// refusesFields reports whether a server does not support a field of the field selector.
// The first text is that of custom resources, the second that of built-in types.
func refusesFields(err *apierrors.StatusError) bool {
	text := err.ErrStatus.Message
	return apierrors.IsBadRequest(err) && (strings.Contains(text, "not a known field selector") || strings.Contains(text, "field label not supported"))
}
