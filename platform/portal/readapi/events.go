package readapi

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/portal/access"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/jobview"
)

// Bounds of the events of one job.
const (
	maxEvents  = 2_000
	eventsOf   = 200 // of one object
	eventPods  = 30  // pods with events, the newest ones
	afterNames = "g" // an event is named after its object, with a dot and hexadecimal digits
)

// events answers with the Kubernetes events about a job and its pods, newest first.
func events(r *reader, ctx context.Context, in *PageInput) (*api.EventList, error) {
	q, row, err := r.job(ctx, in.JobPath, in.At)
	if err != nil {
		return nil, err
	}
	if err := mayRead(r, ctx, access.Events, row); err != nil {
		return nil, err
	}
	object, err := r.object(ctx, row)
	if err != nil {
		return nil, err
	}
	from, err := offsetOf(in.After)
	if err != nil {
		return nil, err
	}
	limit := in.Limit
	if limit == 0 {
		limit = 100
	}
	list, all, err := eventsAbout(r, ctx, row, object)
	if err != nil {
		return nil, err
	}
	if !q.At.IsZero() { // the first time of a repeated event is known
		all = slices.DeleteFunc(all, func(e api.Event) bool { return e.First.After(q.At) })
		for i := range all {
			if all[i].Last.After(q.At) {
				all[i].Last, all[i].Count = all[i].First, 1
			}
		}
	}
	slices.SortStableFunc(all, func(x, y api.Event) int { return cmp.Or(y.Last.Compare(x.Last), y.First.Compare(x.First)) })
	list.Events, list.Next = part(all, from, limit)
	return list, nil
}

// eventsAbout returns all events about a job and its newest pods: recorded ones, otherwise those
// on the API server.
func eventsAbout(r *reader, ctx context.Context, row *jobindex.Row, object history.Object) (*api.EventList, []api.Event, error) {
	found, err := r.history.PodsOf(ctx, []history.Object{object}, podEntries)
	if err != nil {
		return nil, nil, err
	}
	subjects := append([]history.Object{object}, found[object.ID]...)
	subjects = subjects[:min(len(subjects), eventPods+1)]
	types, err := r.history.Types(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, t := range types {
		if t.Resource == "events" && (t.Group == "" || t.Group == "events.k8s.io") {
			all, err := recordedEvents(r, ctx, t, subjects)
			return &api.EventList{Recorded: true}, all, err
		}
	}
	list := &api.EventList{}
	all, live, err := liveEvents(r, ctx, row, subjects)
	list.Live = live
	return list, all, err
}

// recordedEvents returns the recorded events about some objects.
func recordedEvents(r *reader, ctx context.Context, of history.Type, subjects []history.Object) ([]api.Event, error) {
	var objects []history.Object
	uids := map[string]bool{}
	for i := range subjects {
		o := &subjects[i]
		uids[o.UID] = true
		name := history.ObjectName{Type: of, Namespace: o.Namespace, Name: o.Name + ".", Cluster: o.ClusterUID}
		page, err := r.history.ObjectsBetween(ctx, name, name.Name+afterNames, history.Paging{Limit: eventsOf})
		if err != nil {
			return nil, err
		}
		for _, e := range page.Items {
			if strings.HasPrefix(e.Name, name.Name) && len(objects) < maxEvents {
				objects = append(objects, e)
			}
		}
	}
	bodies, err := r.history.Bodies(ctx, objects)
	if err != nil {
		return nil, err
	}
	all := []api.Event{}
	for i := range objects {
		if e, about, ok := jobview.Event(bodies[objects[i].ID]); ok && uids[about] {
			all = append(all, e)
		}
	}
	return all, nil
}

// liveEvents returns the events on the API server about some objects. live means that the API server answered.
func liveEvents(r *reader, ctx context.Context, row *jobindex.Row, subjects []history.Object) (all []api.Event, live bool, err error) {
	if r.Cluster == nil || !slices.Contains(r.Clusters, row.Cluster) {
		return nil, false, nil
	}
	cluster, err := r.Cluster(ctx, row.Cluster)
	if err != nil {
		return nil, false, nil // the page notes that events are not recorded
	}
	client, err := kube.For[corev1.Event](cluster, kube.ClientConfig{})
	if err != nil {
		return nil, false, err
	}
	uids := map[string]bool{}
	for i := range subjects {
		uids[subjects[i].UID] = true
	}
	for _, selector := range []string{"involvedObject.uid=" + row.UID, "involvedObject.kind=Pod"} {
		for e, err := range client.List(ctx, kube.Where{Namespace: row.Namespace, FieldSelector: selector}) {
			if err != nil {
				return nil, true, err
			}
			if !uids[string(e.InvolvedObject.UID)] {
				continue
			}
			e.Kind = "Event"
			text, err := json.Marshal(e)
			if err != nil {
				return nil, true, err
			}
			if one, _, ok := jobview.Event(text); ok && len(all) < maxEvents {
				all = append(all, one)
			}
		}
	}
	return all, true, nil
}
