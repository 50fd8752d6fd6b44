package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/internal/jsonchange"
	"github.com/vedette-io/vedette/wire"
)

// difference is the difference of two states of an object. version is that of the first one.
type difference struct {
	change  jsonchange.Change
	version string
}

func differenceOf(before, after metav1.Object) (difference, error) {
	if isNil(before) || isNil(after) {
		return difference{}, errors.New("an object is nil")
	}
	if a, b := fmt.Sprintf("%T", before), fmt.Sprintf("%T", after); a != b {
		return difference{}, fmt.Errorf("the objects are a %s and a %s", a, b)
	}
	if before.GetUID() != after.GetUID() || keyOf(before) != keyOf(after) {
		return difference{}, fmt.Errorf("%s and %s are two objects", keyOf(before), keyOf(after))
	}
	from, err := json.Marshal(before)
	if err != nil {
		return difference{}, err
	}
	to, err := json.Marshal(after)
	if err != nil {
		return difference{}, err
	}
	change, err := jsonchange.Between(from, to, reflect.TypeOf(before))
	return difference{change, before.GetResourceVersion()}, err
}

// completeDifference returns a difference as a merge patch for the object on the server.
func (c *Client[T]) completeDifference(ctx context.Context, r Resource, key wire.Key, d difference) ([]byte, error) {
	a, err := c.send(ctx, r, call{verb: "get", method: http.MethodGet, key: key, accept: wire.MediaTypeJSON})
	if err != nil {
		return nil, err
	}
	var now metav1.PartialObjectMetadata
	if err := json.Unmarshal(a.body, &now); err != nil {
		return nil, c.requestError("get", r, key, err)
	}
	if now.ResourceVersion != d.version {
		return nil, c.requestError("patch", r, key, conflict(r, key))
	}
	patch, err := d.change.MergePatchOf(a.body)
	if err != nil {
		return nil, c.requestError("patch", r, key, err)
	}
	metadata, _ := patch["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
		patch["metadata"] = metadata
	}
	metadata["resourceVersion"] = d.version
	data, err := json.Marshal(patch)
	if err != nil {
		return nil, c.requestError("patch", r, key, err)
	}
	return data, nil
}
