package controller

import "context"

// elected is the coordinator of a controller with a Lease of its own, of which one replica
// leads.
type elected struct{ *election }

func (e elected) run(ctx context.Context, c *Controller) error { return e.stand(ctx, c) }

// electedTogether is the coordinator of a controller that leads together with others.
type electedTogether struct{ *Leadership }

func (e electedTogether) run(ctx context.Context, c *Controller) error {
	e.join(c)
	<-ctx.Done()
	e.leave(c)
	return nil
}

func (e electedTogether) health() ReplicaHealth { return e.Health() }
