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

	"github.com/vedette-io/vedette/internal/pause"
	"github.com/vedette-io/vedette/wire"
)

// These constants bound the wait for a type that is about to be served.
const (
	establishTimeout  = 10 * time.Second
	establishInterval = 250 * time.Millisecond
)

// awaitType is resolve for clients, which do not retry by themselves. A custom resource is
// established before discovery lists it: if the server reports it as established, awaitType
// polls for up to ten seconds. For any other unknown type it fails at once.
func (c *Cluster) awaitType(ctx context.Context, t Target) (Resource, error) {
	for began := time.Now(); ; {
		r, err := c.resolve(ctx, t, 0)
		if unknown := (*UnknownResourceError)(nil); !errors.As(err, &unknown) {
			return r, err
		}
		if time.Since(began) >= establishTimeout || !c.established(ctx, t) {
			return r, err
		}
		if stopped := pause.For(ctx, establishInterval); stopped != nil {
			return r, stopped
		}
	}
}

// established reports whether the definition of a custom resource is established. It
// returns false if it cannot find out: if the target does not state the group, if the
// plural of the kind is irregular, or if the caller may not get definitions.
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

// definition returns the name of the CustomResourceDefinition for the target, and the
// requested version if the target states one. The name is "" if the target cannot be a
// custom resource.
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
