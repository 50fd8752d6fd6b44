package controller

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// wroteAnnotation holds, for each type, the version of the last object that the holder's
// reconciles have written. The next owner of the keys waits until its informers show these
// versions.
const wroteAnnotation = "vedette.io/wrote"

// wrote returns the last versions that reconciles have written, by type, in the form
// "pods=17 trainjobs.example.com=12".
func (w *writeTracker) wrote() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var parts []string
	for _, resource := range slices.Sorted(maps.Keys(w.last)) {
		parts = append(parts, fmt.Sprintf("%s=%v", resource, w.last[resource]))
	}
	return strings.Join(parts, " ")
}

// wrote returns the last versions that the holder of a Lease has written, by type.
func (l lease) wrote() map[string]wire.Version {
	last := map[string]wire.Version{}
	if l.object == nil {
		return last
	}
	for part := range strings.FieldsSeq(l.object.Annotations[wroteAnnotation]) {
		resource, version, _ := strings.Cut(part, "=")
		if v, err := wire.ParseVersion(version); err == nil {
			last[resource] = v
		}
	}
	return last
}

// catchUp waits until the informers show the writes that earlier owners of the keys have
// recorded in their Leases. It waits for WriteWait or half a renewal period, whichever is
// shorter.
func (c *Controller) catchUp(ctx context.Context, before []lease) {
	if c.cfg.WriteWait == 0 {
		return
	}
	r := &c.cfg.Replicas
	ctx, cancel := context.WithTimeout(ctx, min(c.cfg.WriteWait, r.renew()/2))
	defer cancel()
	began := time.Now()
	for _, l := range before {
		for resource, version := range l.wrote() {
			name, group, _ := strings.Cut(resource, ".")
			err := c.writes.wait(ctx, []kube.Written{{
				Cluster: r.Cluster, Resource: kube.Resource{Group: group, Name: name}, Version: version,
			}})
			if err != nil {
				c.log().Warn("taking over before the informers show the writes of the previous owner", "resource", resource, "version", version, "waited", time.Since(began))
				return
			}
		}
	}
}
