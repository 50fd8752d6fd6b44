package readapi

import (
	"context"
	"slices"
	"time"

	"github.com/vedette-io/vedette/job"

	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/portal/access"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/identity"
	"github.com/vedette-io/vedette/platform/portal/jobview"
	"github.com/vedette-io/vedette/platform/portal/web"
)

// maxNodeNames is the maximum number of nodes in the head of a job.
const maxNodeNames = 20

// jobDetail answers with the head of the page of a job.
func jobDetail(r *reader, ctx context.Context, in *jobInput) (*api.JobDetail, error) {
	q, row, err := r.job(ctx, in.JobPath, in.At)
	if err != nil {
		return nil, err
	}
	var position feed.Position
	if err := r.Index.View(func(v *jobindex.View) error {
		position = v.Position()
		return nil
	}); err != nil {
		return nil, err
	}
	d := &api.JobDetail{
		Job: shown(r, ctx, q, []jobindex.Row{*row})[0], Tabs: api.TabCounts{Attempts: row.Tries, Pods: -1, Revisions: -1, Notifications: -1, LogLines: -1},
		May: []string{}, Position: int64(position), At: instant(q.at),
	}
	if r.KeepsDays > 0 && !row.Ended.IsZero() {
		d.HistoryUntil = instant(row.Ended.Add(time.Duration(r.KeepsDays) * 24 * time.Hour))
	}
	if r.TraceURL != nil && !row.Open() {
		d.TraceURL = r.TraceURL(row.ClusterUID, row.UID)
	}
	object, err := r.object(ctx, row)
	if err != nil { // the head is answered from the index
		r.Logger.DebugContext(ctx, "the header of a job lacks what only the database has", "err", err)
		return d, nil
	}
	if object.Owner.UID != "" {
		d.Controller = &api.ObjectRef{Kind: object.Owner.Kind, Namespace: object.Namespace, Name: object.Owner.Name, UID: object.Owner.UID}
	}
	told, err := deliveriesAbout(r, ctx, row.ID, q.At)
	if err != nil {
		return nil, err
	}
	d.Tabs.Notifications = len(told)
	d.May = mayDo(r, ctx, row, told)
	if err := chained(r, ctx, q, d, row, &object); err != nil {
		return nil, err
	}
	return d, tagged(ctx, *d)
}

// tagged sets the ETag of a job. The instant and the position of the feed do not change it.
func tagged(ctx context.Context, d api.JobDetail) error {
	d.Position, d.At = 0, time.Time{}
	return web.Tag(ctx, d)
}

// chained adds facts of the pods, the logs and the other jobs of the chain.
func chained(r *reader, ctx context.Context, q *question, d *api.JobDetail, row *jobindex.Row, object *history.Object) error {
	chain, err := chainOf(r, ctx, q, object)
	if err != nil {
		return err
	}
	d.Tabs.Attempts = len(jobview.Attempts(chain).Attempts)
	retryOf := ""
	for i := range chain {
		m := &chain[i]
		if m.Object.ID != object.ID {
			continue
		}
		retryOf, d.StoppedBy, d.StopReason = m.RetryOf, m.CancelledBy, m.CancelReason
		nodes := m.Pods.Nodes()
		d.Nodes, d.NodeNames, d.Tabs.Pods = len(nodes), nodes[:min(len(nodes), maxNodeNames)], m.Pods.Len()
		if mayRead(r, ctx, access.Pods, row) != nil {
			d.Tabs.Pods = -1
		}
		if d.Tabs.LogLines = 0; mayRead(r, ctx, access.Logs, row) != nil {
			d.Tabs.LogLines = -1
		}
		for _, l := range m.Logs {
			d.Tabs.LogLines += l.Lines
		}
	}
	for i := range chain {
		o := &chain[i].Object
		ref := api.JobRef{Cluster: o.Cluster, UID: o.UID, Type: o.Type.String(), Namespace: o.Namespace, Name: o.Name}
		switch {
		case o.UID == retryOf && retryOf != "":
			d.RetryOf = &ref
		case chain[i].RetryOf == object.UID:
			d.RetriedBy = &ref // the last retry counts
		}
	}
	page, err := revisionsThen(r, ctx, object.ID, history.Paging{Limit: 1000, Order: history.OldestFirst}, q.At)
	if err != nil {
		return err
	}
	if page.Next == "" {
		d.Tabs.Revisions = len(page.Items)
	}
	return nil
}

// mayDo returns the acts that the person may do on a job now.
func mayDo(r *reader, ctx context.Context, row *jobindex.Row, told []delivery.Delivery) []string {
	may := []string{}
	add := func(act string, is bool) {
		if is {
			may = append(may, act)
		}
	}
	resource, group := job.SplitType(row.Type)
	right := func(verb string) bool {
		return slices.Contains(r.Clusters, row.Cluster) && r.May(ctx, access.Right{Cluster: row.Cluster, Verb: verb, Group: group, Resource: resource, Namespace: row.Namespace}) == nil
	}
	add("stop", row.Open() && row.Deleted.IsZero() && right("delete"))
	add("release", row.Open() && row.Deleted.IsZero() && row.Labels[job.HeldLabel] != "" && right("patch"))
	create := right("create")
	add("retry", !row.Open() && create)
	add("clone", create)
	named := identity.Of(ctx).Name != ""
	told = slices.DeleteFunc(slices.Clone(told), func(d delivery.Delivery) bool { return d.EscalateAt.IsZero() || !d.AckedAt.IsZero() })
	if notifies(r, ctx) {
		add("subscribe", named)
		add("acknowledge", len(told) > 0)
		add("mute", named && row.Open())
	}
	add("logs", mayRead(r, ctx, access.Logs, row) == nil)
	return may
}
