package kube

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/vedette-io/vedette/wire"
)

// Bounds of the wait for a type that is coming.
const (
	comingWithin = 10 * time.Second
	comingEvery  = 250 * time.Millisecond
)

// await is resolve for clients, which do not try again by themselves. A custom
// resource is established before discovery lists it: where the server says so, await
// looks again for up to ten seconds. Any other type that is not known fails at once.
func (c *Cluster) await(ctx context.Context, t Target) (Resource, error) {
	for began := time.Now(); ; {
		r, err := c.resolve(ctx, t, 0)
		if unknown := (*UnknownResourceError)(nil); !errors.As(err, &unknown) {
			return r, err
		}
		if time.Since(began) >= comingWithin || !c.established(ctx, t) {
			return r, err
		}
		if stopped := pause(ctx, comingEvery); stopped != nil {
			return r, stopped
		}
	}
}

// established reports whether the definition of a custom resource is established. It
// cannot tell, and says no, where the target does not state the group, where the plural
// of a kind does not follow the rule, and without the right to get definitions.
func (c *Cluster) established(ctx context.Context, t Target) bool {
	version, name := t.definition()
	if name == "" {
		return false
	}
	body, err := c.Do(ctx, Request{Path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/" + name, Accept: wire.MediaTypeJSON})
	if err != nil {
		return false
	}
	defer body.Close()
	var crd struct {
		Spec struct {
			Versions []struct {
				Name   string
				Served bool
			}
		}
		Status struct {
			Conditions []struct{ Type, Status string }
		}
	}
	if err := json.NewDecoder(io.LimitReader(body, wire.DefaultMaxRecord)).Decode(&crd); err != nil {
		return false
	}
	for _, v := range crd.Spec.Versions {
		if v.Served && (version == "" || v.Name == version) {
			return slices.Contains(crd.Status.Conditions, struct{ Type, Status string }{"Established", "True"})
		}
	}
	return false
}

// definition returns the name that the definition of a custom resource has, and the
// version that is meant, if it is stated; "" for what is no custom resource.
func (t Target) definition() (version, name string) {
	plural, group := strings.ToLower(t.name.name), t.name.rest
	if v, rest, ok := strings.Cut(group, "."); ok && isVersion.MatchString(v) {
		version, group = v, rest
	}
	if len(t.kinds) == 1 {
		guess, _ := meta.UnsafeGuessKindToResource(t.kinds[0])
		plural, version, group = guess.Resource, guess.Version, guess.Group
	}
	if !strings.Contains(group, ".") || builtinGroup(group) || checkSegment("group", group) != nil {
		return "", ""
	}
	return version, plural + "." + group
}
