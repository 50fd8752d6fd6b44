package readapi

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/portal/access"
	"github.com/vedette-io/vedette/platform/portal/api"
)

// none is the input of operations without parameters.
type none struct{}

// session answers with the description of the person and of the portal.
func session(r *reader, ctx context.Context, _ *none) (*api.Session, error) {
	q, err := r.ask(ctx, "")
	if err != nil {
		return nil, err
	}
	p := q.person
	clusters, err := clustersOf(r, ctx, q)
	if err != nil {
		return nil, err
	}
	operates, err := r.Operates(ctx)
	if err != nil {
		return nil, err
	}
	return &api.Session{
		Person: p.Name, Cluster: p.Cluster, Groups: p.Groups, Names: p.Names, SignIn: cmp.Or(p.SignIn, api.SignInNone), CSRF: r.CSRF(ctx), Expires: p.Expires,
		Clusters: clusters, MaySubmit: len(r.Clusters) > 0, MaySeeOperations: operates, Notifies: notifies(r, ctx),
		KeepsDays: r.KeepsDays, Version: r.Version, Demo: r.Demo, Now: instant(q.now),
	}, nil
}

// notifies reports whether the database has notifications.
func notifies(r *reader, ctx context.Context) bool {
	channels, err := delivery.Channels(ctx, r.DB)
	return err == nil && len(channels) > 0
}

// clustersOf returns the clusters with jobs that the person sees, and those that the portal
// reaches if the person sees everything.
func clustersOf(r *reader, ctx context.Context, q *question) ([]api.Cluster, error) {
	return r.clusters.get(ctx, q.sight.Key(), q.now, func(context.Context) ([]api.Cluster, error) {
		type key struct{ name, uid string }
		types := map[key][]string{}
		err := r.Index.View(func(v *jobindex.View) error {
			for _, s := range v.Scopes() {
				k := key{s.Cluster, s.ClusterUID}
				if q.Since != nil {
					if _, some := q.Since(s.Cluster, s.ClusterUID, s.Type, s.Namespace); !some {
						continue
					}
				}
				if !slices.Contains(types[k], s.Type) {
					types[k] = append(types[k], s.Type)
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		all := []api.Cluster{}
		for k, of := range types {
			slices.Sort(of)
			all = append(all, api.Cluster{Name: k.name, UID: k.uid, Writable: slices.Contains(r.Clusters, k.name), Types: of})
		}
		for _, name := range r.Clusters {
			if q.sight.All() && !slices.ContainsFunc(all, func(c api.Cluster) bool { return c.Name == name }) {
				all = append(all, api.Cluster{Name: name, Writable: true, Types: []string{}})
			}
		}
		slices.SortFunc(all, func(x, y api.Cluster) int { return cmp.Or(cmp.Compare(x.Name, y.Name), cmp.Compare(x.UID, y.UID)) })
		return all, nil
	})
}

// mayRead returns nil if the person may read a part of a job. It decides for recorded data as for
// live data.
//
// Errors: *api.Problem with the role that is missing.
func mayRead(r *reader, ctx context.Context, p access.Part, row *jobindex.Row) error {
	return r.May(ctx, access.RightTo(p, row.Cluster, row.Namespace))
}

// allSight sees everything. The portal itself uses it.
type allSight struct{}

func (allSight) All() bool                                   { return true }
func (allSight) Sees(_, _ string) bool                       { return true }
func (allSight) Since(_, _, _, _ string) (time.Time, bool)   { return time.Time{}, true }
func (allSight) SeesJob(_, _, _, _ string, _ time.Time) bool { return true }
func (allSight) SeesPods(_, _ string) bool                   { return true }
func (allSight) Key() string                                 { return "the portal itself" }

// everything returns a question of the portal itself, whose answer is not sent to
// anybody.
func everything(q *question) *question {
	return &question{sight: allSight{}, now: q.now, at: q.at}
}
