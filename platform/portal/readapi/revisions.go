package readapi

import (
	"context"
	"slices"
	"time"

	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/identity"
	"github.com/vedette-io/vedette/platform/portal/jobview"
	"github.com/vedette-io/vedette/platform/portal/web"
	"github.com/vedette-io/vedette/wire"
)

// revisions answers with the revisions of a job, oldest first.
func revisions(r *reader, ctx context.Context, in *PageInput) (*api.RevisionList, error) {
	q, row, err := r.job(ctx, in.JobPath, in.At)
	if err != nil {
		return nil, err
	}
	object, err := r.object(ctx, row)
	if err != nil {
		return nil, err
	}
	if err := web.Tag(ctx, row.ID, object.Version, object.Presence, q.sight.Key()); err != nil {
		return nil, err
	}
	page, err := revisionsThen(r, ctx, row.ID, in.paging(history.OldestFirst), q.At)
	if err != nil {
		return nil, mapped(err)
	}
	list := &api.RevisionList{Revisions: make([]api.Revision, len(page.Items)), Next: string(page.Next)}
	for i := range page.Items {
		list.Revisions[i] = jobview.Revision(&page.Items[i])
	}
	return list, nil
}

// revisionsThen returns a page of revisions, oldest first; with an instant, those up to it.
func revisionsThen(r *reader, ctx context.Context, object int64, p history.Paging, at time.Time) (history.Page[history.Revision], error) {
	page, err := r.history.Revisions(ctx, object, p)
	if err != nil || at.IsZero() {
		return page, err
	}
	last, err := versionThen(r, ctx, object, at)
	if n := slices.IndexFunc(page.Items, func(rev history.Revision) bool { return rev.Version > last }); n >= 0 {
		page.Items, page.Next = page.Items[:n], ""
	}
	return page, err
}

// bodyInput names a revision of a job.
type bodyInput struct {
	JobPath
	Version string `path:"version" maxLength:"20" doc:"The version of the revision, or last"`
}

// body answers with the YAML of a revision.
func body(r *reader, ctx context.Context, in *bodyInput) (*api.Body, error) {
	q, row, err := r.job(ctx, in.JobPath, "")
	if err != nil {
		return nil, err
	}
	version, err := versionOf(in.Version, "version")
	if err != nil {
		return nil, err
	}
	if version != 0 { // the last one may change
		if err := web.Tag(ctx, row.ID, version, q.sight.Key()); err != nil {
			return nil, err
		}
	}
	b, err := bodyOf(r, ctx, row, version)
	return &b, err
}

// bodyOf returns the YAML of a revision; 0 is the last one.
func bodyOf(r *reader, ctx context.Context, row *jobindex.Row, version wire.Version) (api.Body, error) {
	text, at, err := r.history.Body(ctx, row.ID, version)
	if err != nil {
		return api.Body{}, mapped(err)
	}
	b, err := jobview.Body(text, at)
	return b, mapped(err)
}

// versionOf reads a version. "last" and the empty text are 0.
func versionOf(text, field string) (wire.Version, error) {
	if text == "" || text == "last" {
		return 0, nil
	}
	v, err := wire.ParseVersion(text)
	if err != nil || v == 0 {
		return 0, web.Invalid("The version cannot be read.", api.FieldProblem{Field: field, Message: "want the version of a revision, or last"})
	}
	return v, nil
}

// diffInput identifies two revisions of a job, or a revision of another job.
type diffInput struct {
	JobPath
	From string `query:"from" maxLength:"20" doc:"A version; the revision before to, unless another job is named"`
	To   string `query:"to" maxLength:"20" doc:"A version; by default the last one"`
	// OtherCluster and OtherUID identify another job, whose revision is the left side.
	OtherCluster string `query:"otherCluster" maxLength:"253" doc:"The cluster of another job to compare with; by default the same"`
	OtherUID     string `query:"other" maxLength:"63" doc:"The UID of another job, whose revision from is the left side"`
	Context      int    `query:"context" minimum:"0" maximum:"100000" default:"3" doc:"How many unchanged lines to show around each difference"`
}

// diff answers with the difference between two revisions.
func diff(r *reader, ctx context.Context, in *diffInput) (*api.Diff, error) {
	q, right, err := r.job(ctx, in.JobPath, "")
	if err != nil {
		return nil, err
	}
	left := right
	if in.OtherUID != "" {
		other := JobPath{Cluster: in.OtherCluster, UID: in.OtherUID}
		if other.Cluster == "" {
			other.Cluster = in.Cluster
		}
		if _, left, err = r.job(ctx, other, ""); err != nil {
			return nil, err
		}
	}
	from, err := versionOf(in.From, "from")
	if err != nil {
		return nil, err
	}
	to, err := versionOf(in.To, "to")
	if err != nil {
		return nil, err
	}
	if to != 0 && from != 0 {
		if err := web.Tag(ctx, left.ID, from, right.ID, to, in.Context, q.sight.Key()); err != nil {
			return nil, err
		}
	}
	b, err := bodyOf(r, ctx, right, to)
	if err != nil {
		return nil, err
	}
	if from == 0 && in.OtherUID == "" {
		if from, err = before(r, ctx, right.ID, b.Version); err != nil {
			return nil, err
		}
	}
	a, err := bodyOf(r, ctx, left, from)
	if err != nil {
		return nil, err
	}
	done, err := r.diffs.Take(ctx, identity.Of(ctx).ID()) // a difference of large bodies takes a CPU and 100 MB for a while
	if err != nil {
		return nil, err
	}
	defer done()
	d := jobview.Diff(a, b, in.Context)
	if left.ID != right.ID {
		l, r := jobview.Ref(left), jobview.Ref(right)
		d.Left, d.Right = &l, &r
	}
	return &d, nil
}

// before returns the version of the previous revision; for the first one, its own version.
func before(r *reader, ctx context.Context, object int64, text string) (wire.Version, error) {
	to, err := wire.ParseVersion(text)
	if err != nil {
		return 0, err
	}
	for rev, err := range history.All(ctx, history.Paging{Limit: 500, Order: history.NewestFirst}, func(ctx context.Context, p history.Paging) (history.Page[history.Revision], error) {
		return r.history.Revisions(ctx, object, p)
	}) {
		if err != nil {
			return 0, mapped(err)
		}
		if rev.Version < to {
			return rev.Version, nil
		}
	}
	return to, nil
}
