package writeapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/portal/access"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/audit"
	"github.com/vedette-io/vedette/platform/portal/identity"
	"github.com/vedette-io/vedette/platform/portal/insight"
	"github.com/vedette-io/vedette/platform/portal/web"
	"github.com/vedette-io/vedette/platform/submit"
)

// Limits of the requests to an API server for one operation.
const (
	patience = 25 * time.Second
	attempt  = 15 * time.Second
)

// Sources of the name of a person.
const local = "local" // nobody signed in, and no cluster is connected

// writer has the dependencies of the operations.
type writer struct {
	cfg    Config
	quotas quotas
	slots  manifestSlots
}

// none is the answer about a job that does not exist or that the person may not see.
func none(cluster, uid string) error {
	return web.Unknown(fmt.Sprintf("The cluster %q has no job with the UID %q, or you may not see it.", cluster, uid))
}

// sight returns the sight of the person of ctx. namespaces are the namespaces in the
// request.
func (w *writer) sight(ctx context.Context, namespaces ...string) (*access.Sight, error) {
	return w.cfg.Access.Sight(ctx, namespaces...)
}

// row returns a job that the person of ctx sees.
//
// Errors: none; those of the index.
func (w *writer) row(ctx context.Context, cluster, uid string) (jobindex.Row, error) {
	var row jobindex.Row
	found := false
	err := w.cfg.Index.View(func(v *jobindex.View) error {
		row, found = v.Job(cluster, uid, time.Time{})
		return nil
	})
	if err != nil {
		return row, err
	}
	return w.visible(ctx, row, found, cluster, uid)
}

// visible returns a row if the person of ctx sees it.
func (w *writer) visible(ctx context.Context, row jobindex.Row, found bool, cluster, uid string) (jobindex.Row, error) {
	s, err := w.sight(ctx, row.Namespace)
	if err != nil {
		return jobindex.Row{}, err
	}
	if !found || !s.SeesJob(row.Cluster, row.ClusterUID, row.Type, row.Namespace, row.Submitted) {
		return jobindex.Row{}, none(cluster, uid)
	}
	return row, nil
}

// who returns the ID of the person of ctx, as in subscriptions, mutes and acknowledgments.
// Without sign-in it is the portal's name in the first cluster.
func (w *writer) who(ctx context.Context) string {
	if p := identity.Of(ctx); !p.Anonymous() {
		return p.ID()
	}
	for _, name := range w.cfg.Access.Clusters() {
		if c, err := w.cfg.Access.Cluster(ctx, name); err == nil {
			if user, err := c.User(ctx); err == nil {
				return user
			}
		}
	}
	return local
}

// person returns the name of the person of ctx in the table of people, or otherwise their
// ID.
func (w *writer) person(ctx context.Context) string {
	who := w.who(ctx)
	if w.cfg.Notify == nil {
		return who
	}
	return cmp.Or(w.cfg.Notify.PersonOf(who), who)
}

// client returns a client for a cluster that acts in the name of the person of ctx.
func (w *writer) client(ctx context.Context, cluster string) (*submit.Client, error) {
	c, err := w.cfg.Access.Cluster(ctx, cluster)
	if err != nil {
		return nil, err
	}
	return submit.New(c, submit.Config{User: identity.Of(ctx).Name, Types: w.cfg.Types, Patience: patience, Attempt: attempt, Logger: w.cfg.Logger}), nil
}

// viewer returns the person of ctx for package insight.
func (w *writer) viewer(ctx context.Context) (insight.Viewer, error) {
	s, err := w.sight(ctx)
	if err != nil {
		return insight.Viewer{}, err
	}
	v := insight.Viewer{Language: web.LanguageOf(ctx)}
	if !s.All() {
		v.Since = func(cluster, clusterUID, namespace string) (time.Time, bool) {
			return s.Since(cluster, clusterUID, "", namespace)
		}
	}
	return v, nil
}

// right returns the right for a verb on a job.
func right(verb string, row *jobindex.Row) access.Right {
	resource, group, _ := strings.Cut(row.Type, ".")
	return access.Right{Cluster: row.Cluster, Verb: verb, Group: group, Resource: resource, Namespace: row.Namespace, Name: row.Name}
}

// changes returns nil if the person of ctx may change a job.
func (w *writer) changes(ctx context.Context, row *jobindex.Row) error {
	r := right("patch", row)
	r.Also = []string{"get"}
	return w.cfg.Access.May(ctx, r)
}

// ref names a job.
func ref(row *jobindex.Row) *api.JobRef {
	return &api.JobRef{Cluster: row.Cluster, UID: row.UID, Type: row.Type, Namespace: row.Namespace, Name: row.Name}
}

// jobInput names a job in a path.
type jobInput struct {
	Cluster string `path:"cluster" maxLength:"253" doc:"The name of the cluster"`
	UID     string `path:"uid" maxLength:"253" doc:"The UID of the job"`
}

// pathOf returns a path of the API about a job.
func pathOf(path string, row *jobindex.Row) string {
	return api.Prefix + strings.NewReplacer("{cluster}", url.PathEscape(row.Cluster), "{uid}", url.PathEscape(row.UID)).Replace(path)
}

// nameOf names a job in a sentence.
func nameOf(row *jobindex.Row) string { return row.Namespace + "/" + row.Name }

// audited calls do, with a row in the audit before and its result after.
func (w *writer) audited(ctx context.Context, e api.AuditEntry, do func() (detail string, err error)) error {
	open, err := w.cfg.Audit.Begin(ctx, e)
	if err != nil {
		return err
	}
	detail, err := do()
	result := audit.Done
	var p *api.Problem
	if err != nil {
		p = web.ProblemOf(ctx, err)
		result, detail, err = audit.Failed, detailOf(p), p
		if p.Status == 403 {
			result = audit.Denied
		}
	}
	if failed := open.End(ctx, result, strings.TrimSpace(e.Detail+" "+detail)); failed != nil {
		w.cfg.Logger.Error("the result of an act is not in the audit, which says that it was attempted", "act", e.Act, "object", e.Object, "result", result, "err", failed)
	}
	return err
}

// detailOf returns the text of a problem, with its first mistakes.
func detailOf(p *api.Problem) string {
	var text strings.Builder
	text.WriteString(cmp.Or(p.Detail, p.Title))
	for n, f := range p.Fields {
		if n == 3 {
			break
		}
		text.WriteString(" " + f.Field + ": " + f.Message)
	}
	return text.String()
}

// asProblem returns an error as a problem, if it is one.
func asProblem(err error) (*api.Problem, bool) {
	var p *api.Problem
	ok := errors.As(err, &p)
	return p, ok
}
