package controller

import (
	"context"
	"strings"
	"time"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// lead takes over all keys.
func (c *Controller) lead(ctx context.Context, token uint64, until time.Time) {
	c.takeOver(ctx, allKeys, func(wire.Key) bool { return false }, token, until)
}

// prolong extends the term of all keys.
func (c *Controller) prolong(until time.Time) bool { return c.ownership.extend(until) }

// resign gives up all keys, and waits for their reconciles.
func (c *Controller) resign() { c.ownership.revoke(nil, 0).join() }

func (c *Controller) wrote() string { return c.writes.wrote() }

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
