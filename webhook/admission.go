package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	k8sjson "sigs.k8s.io/json"

	"github.com/vedette-io/vedette/internal/jsonchange"
)

// Request is one request to create, change, delete or connect to an object.
type Request[T any] struct {
	// AdmissionRequest has the operation, the user, the resource and the encoded objects. It
	// must not be changed.
	*admissionv1.AdmissionRequest
	// Object is the object as it would be stored; nil for DELETE. A function of Mutate
	// changes it.
	Object *T
	// Old is the object as it is stored; nil for CREATE and CONNECT.
	Old *T

	warnings []string
	audit    map[string]string
}

// Warn adds a warning, which kubectl prints. Warnings longer than 120 bytes may be cut, and
// more than 4 KiB of them are dropped by the API server.
func (r *Request[T]) Warn(format string, args ...any) {
	r.warnings = append(r.warnings, fmt.Sprintf(format, args...))
}

// Audit adds an annotation to the audit log of the API server, under the name of the
// webhook and key.
func (r *Request[T]) Audit(key, value string) {
	if r.audit == nil {
		r.audit = map[string]string{}
	}
	r.audit[key] = value
}

// Validate returns a handler that calls check for each request. A nil error allows the
// request. [Deny], [DenyStatus], a field.Error of k8s.io/apimachinery, and aggregates of
// these deny it. Any other error means that the webhook has failed.
//
// T is a struct with the JSON tags of the type, or unstructured.Unstructured.
func Validate[T any](check func(context.Context, *Request[T]) error) Handler {
	return admissionHandler[T](func(ctx context.Context, r *Request[T]) ([]byte, error) {
		return nil, check(ctx, r)
	})
}

// Mutate returns a handler that calls change for each request. The API server applies what
// change changes in Object, and nothing else. Errors mean the same as in Validate. The API
// server may call it again after other webhooks, so change must do nothing to an object that
// is already as it should be. Register it for CREATE, UPDATE or both.
//
// T is a struct with the JSON tags of the type, or unstructured.Unstructured.
func Mutate[T any](change func(context.Context, *Request[T]) error) Handler {
	return admissionHandler[T](func(ctx context.Context, r *Request[T]) ([]byte, error) {
		if r.Object == nil {
			return nil, change(ctx, r)
		}
		before, err := json.Marshal(r.Object)
		if err != nil {
			return nil, fmt.Errorf("encode the object: %w", err)
		}
		if err := change(ctx, r); err != nil {
			return nil, err
		}
		if r.Object == nil {
			return nil, errors.New("the function has set Object to nil")
		}
		after, err := json.Marshal(r.Object)
		if err != nil {
			return nil, fmt.Errorf("encode the changed object: %w", err)
		}
		made, err := jsonchange.Between(before, after, reflect.TypeFor[T]())
		if err != nil {
			return nil, fmt.Errorf("compare the objects: %w", err)
		}
		patch, err := made.Operations(r.AdmissionRequest.Object.Raw)
		if err != nil {
			return nil, fmt.Errorf("compare the objects: %w", err)
		}
		return patch, nil
	})
}

// admissionHandler is a handler of AdmissionReviews. Its function returns a patch or nil.
type admissionHandler[T any] func(context.Context, *Request[T]) ([]byte, error)

func (h admissionHandler[T]) check() error { return nil }

func (h admissionHandler[T]) maxBody() int64 { return DefaultMaxAdmission }

func (h admissionHandler[T]) timeout(asked time.Duration) time.Duration {
	if asked <= 0 {
		return admissionTimeout
	}
	return min(asked, maxTimeout)
}

func (h admissionHandler[T]) serve(ctx context.Context, body []byte) result {
	review, err := decode[admissionv1.AdmissionReview](body)
	version := admissionv1.SchemeGroupVersion.String()
	switch {
	case err != nil:
		return invalid("decode the AdmissionReview: %w", err)
	case review == nil || review.APIVersion != version || review.Kind != "AdmissionReview":
		return invalid("the body is not an AdmissionReview of %s; set admissionReviewVersions to v1", version)
	case review.Request == nil || review.Request.UID == "":
		return invalid("the AdmissionReview has no request with a UID")
	}
	r := &Request[T]{AdmissionRequest: review.Request}
	if r.Object, err = decode[T](review.Request.Object.Raw); err != nil {
		return result{outcome: failed, err: fmt.Errorf("decode the object: %w", err)}
	}
	if r.Old, err = decode[T](review.Request.OldObject.Raw); err != nil {
		return result{outcome: failed, err: fmt.Errorf("decode the old object: %w", err)}
	}
	patch, err := h(ctx, r)
	response := &admissionv1.AdmissionResponse{UID: r.UID, Allowed: err == nil, Warnings: r.warnings, AuditAnnotations: r.audit}
	out := result{answer: &admissionv1.AdmissionReview{TypeMeta: review.TypeMeta, Response: response}}
	switch {
	case err != nil:
		if response.Result = denial(err); response.Result == nil {
			return result{outcome: failed, err: err}
		}
		out.outcome = denied
	case patch != nil:
		kind := admissionv1.PatchTypeJSONPatch
		response.Patch, response.PatchType = patch, &kind
	}
	return out
}

// decode decodes an object like an API server: member names are case-sensitive. It returns
// nil if there is no object.
func decode[T any](raw []byte) (*T, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	obj := new(T)
	if err := k8sjson.UnmarshalCaseSensitivePreserveInts(raw, obj); err != nil {
		return nil, err
	}
	return obj, nil
}
