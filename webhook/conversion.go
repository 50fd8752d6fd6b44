package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Conversion converts objects from one version to another. Create it with From.
type Conversion struct {
	from, to string
	convert  func(raw []byte) ([]byte, error)
}

// From returns a Conversion between two versions, such as "v1alpha1" and "v1". to has the
// apiVersion, the kind and the metadata of the object when convert is called; convert sets
// the rest. Of the metadata, only changes of labels and annotations have an effect.
//
// Fields that only one version has are lost on the way unless convert keeps them, usually in
// an annotation.
func From[A, B any](from, to string, convert func(from *A, to *B) error) Conversion {
	return Conversion{from, to, func(raw []byte) ([]byte, error) {
		a, err := decode[A](raw)
		if err != nil {
			return nil, fmt.Errorf("decode the object: %w", err)
		}
		if a == nil {
			return nil, errors.New("there is no object")
		}
		head, err := headOf(raw, to)
		if err != nil {
			return nil, err
		}
		start, err := json.Marshal(head)
		if err != nil {
			return nil, err
		}
		b, err := decode[B](start)
		if err != nil {
			return nil, fmt.Errorf("decode the metadata: %w", err)
		}
		if err := convert(a, b); err != nil {
			return nil, err
		}
		out, err := json.Marshal(b)
		if err != nil {
			return nil, fmt.Errorf("encode the converted object: %w", err)
		}
		return head.with(out)
	}}
}

// members are the members of a JSON object.
type members map[string]json.RawMessage

// head is the part of an object that all versions have.
type head struct {
	APIVersion string  `json:"apiVersion"`
	Kind       string  `json:"kind"`
	Metadata   members `json:"metadata"`
}

// headOf returns the head of an object, with another version of the same group.
func headOf(raw []byte, version string) (head, error) {
	h, err := decode[head](raw)
	if err != nil {
		return head{}, fmt.Errorf("decode the metadata: %w", err)
	}
	gv, err := schema.ParseGroupVersion(h.APIVersion)
	if err != nil {
		return head{}, err
	}
	gv.Version = version
	h.APIVersion = gv.String()
	if h.Metadata == nil {
		h.Metadata = members{}
	}
	return *h, nil
}

// with returns an object with the head, but its own labels and annotations: the API forbids
// other changes of the metadata.
func (h head) with(obj []byte) ([]byte, error) {
	var all, own members
	if err := json.Unmarshal(obj, &all); err != nil {
		return nil, fmt.Errorf("the converted object: %w", err)
	}
	if text, set := all["metadata"]; set {
		if err := json.Unmarshal(text, &own); err != nil {
			return nil, fmt.Errorf("the metadata of the converted object: %w", err)
		}
	}
	h.Metadata = maps.Clone(h.Metadata)
	for _, name := range []string{"labels", "annotations"} {
		delete(h.Metadata, name)
		if value, set := own[name]; set {
			h.Metadata[name] = value
		}
	}
	var err error
	for name, value := range map[string]any{"apiVersion": h.APIVersion, "kind": h.Kind, "metadata": h.Metadata} {
		if all[name], err = json.Marshal(value); err != nil {
			return nil, err
		}
	}
	return json.Marshal(all)
}

// Convert returns a handler that converts custom resources between versions. An object goes
// through as few of the conversions as possible, so that conversions to and from one
// version suffice for all.
//
// Errors: a conversion from a version to itself; two conversions between the same versions.
// They are returned by Server.Handle.
func Convert(conversions ...Conversion) Handler {
	return conversionHandler(conversions)
}

// conversionHandler is a handler of ConversionReviews.
type conversionHandler []Conversion

// conversionReview is ConversionReview of apiextensions.k8s.io/v1.
type conversionReview struct {
	metav1.TypeMeta `json:",inline"`

	Request  *conversionRequest  `json:"request,omitempty"`
	Response *conversionResponse `json:"response,omitempty"`
}

type conversionRequest struct {
	UID               types.UID              `json:"uid"`
	DesiredAPIVersion string                 `json:"desiredAPIVersion"`
	Objects           []runtime.RawExtension `json:"objects"`
}

type conversionResponse struct {
	UID              types.UID              `json:"uid"`
	ConvertedObjects []runtime.RawExtension `json:"convertedObjects"`
	Result           metav1.Status          `json:"result"`
}

const conversionVersion = "apiextensions.k8s.io/v1"

func (h conversionHandler) check() error {
	seen := map[[2]string]bool{}
	for _, c := range h {
		pair := [2]string{c.from, c.to}
		switch {
		case c.from == c.to:
			return fmt.Errorf("webhook: there is a conversion from %q to itself; remove it", c.from)
		case seen[pair]:
			return fmt.Errorf("webhook: there are two conversions from %q to %q; remove one", c.from, c.to)
		}
		seen[pair] = true
	}
	return nil
}

func (h conversionHandler) maxBody() int64 { return DefaultMaxConversion }

func (h conversionHandler) timeout(time.Duration) time.Duration { return maxTimeout }

func (h conversionHandler) serve(ctx context.Context, body []byte) result {
	review, err := decode[conversionReview](body)
	switch {
	case err != nil:
		return invalid("decode the ConversionReview: %w", err)
	case review == nil || review.APIVersion != conversionVersion || review.Kind != "ConversionReview":
		return invalid("the body is not a ConversionReview of %s; set conversionReviewVersions to v1", conversionVersion)
	case review.Request == nil || review.Request.UID == "":
		return invalid("the ConversionReview has no request with a UID")
	}
	response := &conversionResponse{UID: review.Request.UID, Result: metav1.Status{Status: metav1.StatusSuccess}}
	answer := &conversionReview{TypeMeta: review.TypeMeta, Response: response}
	for _, obj := range review.Request.Objects {
		raw, err := h.object(ctx, obj.Raw, review.Request.DesiredAPIVersion)
		if err != nil { // the API server takes all objects or none
			response.ConvertedObjects = nil
			response.Result = metav1.Status{
				Status: metav1.StatusFailure, Code: http.StatusUnprocessableEntity, Reason: metav1.StatusReasonInvalid,
				Message: err.Error(),
			}
			return result{answer: answer, outcome: failed, err: err}
		}
		response.ConvertedObjects = append(response.ConvertedObjects, runtime.RawExtension{Raw: raw})
	}
	return result{answer: answer}
}

// object converts one object.
func (h conversionHandler) object(ctx context.Context, raw []byte, desired string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	obj, err := decode[metav1.PartialObjectMetadata](raw)
	if err != nil {
		return nil, fmt.Errorf("decode an object: %w", err)
	}
	if obj == nil {
		return nil, errors.New("decode an object: it is null")
	}
	out, err := h.through(raw, obj.APIVersion, desired)
	if err != nil {
		return nil, fmt.Errorf("convert %s/%s from %s to %s: %w", obj.Namespace, obj.Name, obj.APIVersion, desired, err)
	}
	return out, nil
}

// through applies the conversions between two versions.
func (h conversionHandler) through(raw []byte, from, to string) ([]byte, error) {
	a, err := schema.ParseGroupVersion(from)
	if err != nil {
		return nil, err
	}
	b, err := schema.ParseGroupVersion(to)
	if err != nil {
		return nil, err
	}
	steps, found := h.way(a.Version, b.Version)
	if a.Group != b.Group || !found {
		return nil, errors.New("the webhook has no conversion between these versions")
	}
	for _, step := range steps {
		if raw, err = step.convert(raw); err != nil {
			return nil, err
		}
	}
	return raw, nil
}

// way returns the shortest sequence of conversions between two versions, by a breadth-first
// search.
func (h conversionHandler) way(from, to string) (steps []Conversion, found bool) {
	reached := map[string][]Conversion{from: nil}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if at == to {
			return reached[at], true
		}
		for _, c := range h {
			if _, before := reached[c.to]; c.from == at && !before {
				reached[c.to] = append(slices.Clone(reached[at]), c)
				queue = append(queue, c.to)
			}
		}
	}
	return nil, false
}
