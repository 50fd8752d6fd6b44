package erase

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/vedette-io/vedette/platform/internal/bodies"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/portal/jobview"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// maxParts is the maximum number of parts that one query for the parts of jobs returns.
const maxParts = 1 << 30

// eventTypes are the types of Kubernetes events. Only Resource and Group identify a type.
var eventTypes = []model.Type{{Resource: "events", Kind: "Event"}, {Group: "events.k8s.io", Resource: "events", Kind: "Event"}}

// isEvent reports whether a type is one of Kubernetes events.
func isEvent(t model.Type) bool {
	return t.Resource == "events" && (t.Group == "" || t.Group == "events.k8s.io")
}

// finder finds the objects that belong to one object.
type finder struct {
	db      *sqldb.DB
	cluster int64
	found   []model.ListedObject
	seen    map[int64]bool
}

// find finds an object, the objects below it, and the events about all of them.
func (f *finder) find(ctx context.Context, root int64) error {
	a, err := model.ReadAttributes(ctx, f.db, root)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrGone
	}
	if err != nil {
		return err
	}
	f.cluster = a.Cluster
	for level := []int64{root}; len(level) > 0; {
		added, err := f.add(ctx, level)
		if err != nil {
			return err
		}
		if level, err = f.below(ctx, added); err != nil {
			return err
		}
	}
	if len(f.found) == 0 {
		return ErrGone
	}
	return f.events(ctx)
}

// add adds objects, and returns those that were not known.
func (f *finder) add(ctx context.Context, ids []int64) (added []model.ListedObject, err error) {
	slices.Sort(ids)
	ids = slices.DeleteFunc(slices.Compact(ids), func(id int64) bool { return f.seen[id] })
	err = model.ObjectsWith(ctx, f.db, ids, func(o model.ListedObject) {
		f.seen[o.ID] = true
		added = append(added, o)
	})
	f.found = append(f.found, added...)
	return added, err
}

// below returns the parts of jobs, and the objects that objects control, in the same namespace or
// below an object without a namespace.
func (f *finder) below(ctx context.Context, above []model.ListedObject) (ids []int64, err error) {
	owners := map[string]string{} // namespaces, by UID
	var uids []string
	var jobs []int64
	for i := range above {
		o := &above[i]
		owners[o.UID], uids, jobs = o.Namespace, append(uids, o.UID), append(jobs, o.ID)
	}
	err = model.PartsOf(ctx, f.db, jobs, maxParts, func(_, part int64) { ids = append(ids, part) })
	if err != nil {
		return nil, err
	}
	owned, err := model.ObjectsOwnedBy(ctx, f.db, f.cluster, uids)
	if err != nil {
		return nil, err
	}
	err = model.ObjectsWith(ctx, f.db, owned, func(o model.ListedObject) {
		if namespace := owners[o.Owner.UID]; namespace == "" || namespace == o.Namespace {
			ids = append(ids, o.ID)
		}
	})
	return ids, err
}

// eventsAtOnce is the number of events whose bodies are read together.
const eventsAtOnce = 200

// events adds the recorded Kubernetes events about the objects.
func (f *finder) events(ctx context.Context) error {
	about, namespaces := map[string]bool{}, map[string]bool{}
	for i := range f.found {
		o := &f.found[i]
		about[o.UID] = true
		if namespaces[o.Namespace] = true; o.Namespace == "" {
			namespaces["default"] = true // of the events about objects without a namespace
		}
	}
	resources, err := model.ResourceIDs(ctx, f.db, eventTypes)
	if err != nil {
		return err
	}
	var reader bodies.Reader
	for _, resource := range resources {
		for namespace := range namespaces {
			all, err := model.ObjectsOfType(ctx, f.db, f.cluster, resource, namespace)
			if err != nil {
				return err
			}
			for some := range slices.Chunk(all, eventsAtOnce) {
				if err := f.addEvents(ctx, &reader, some, about); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// addEvents adds those of some events that are about objects.
func (f *finder) addEvents(ctx context.Context, reader *bodies.Reader, some []model.RevisionID, about map[string]bool) error {
	read, err := reader.ReadMany(ctx, f.db, some)
	if err != nil {
		return err
	}
	var ids []int64
	for id, body := range read {
		if _, uid, ok := jobview.Event(body); ok && about[uid] {
			ids = append(ids, id)
		}
	}
	_, err = f.add(ctx, ids)
	return err
}
