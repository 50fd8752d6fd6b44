package record

import (
	"fmt"
	"maps"
	"time"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/record/internal/model"
	"github.com/vedette-io/vedette/state"
	"github.com/vedette-io/vedette/wire"
)

// observation is one revision of an object on its way to the database.
type observation struct {
	uid, namespace, name string
	version              wire.Version
	deleted              bool // the object was deleted with this revision, or before it
	source               model.Source
	seen, created        time.Time
	status               state.Status
	body                 []byte // nil for a deletion that no watch reported
	owner                model.Owner
	queue, submitter     string
	labels               map[string]string
	invalid              error // why the state is unknown: an undecodable body, or a panic
}

// Labels and annotations that name the queue and the submitter of a job. The first one
// that is set counts.
var (
	queueLabels     = []string{"kueue.x-k8s.io/queue-name", "scheduling.volcano.sh/queue-name", "volcano.sh/queue-name"}
	submitterLabels = []string{"vedette.io/user", "app.kubernetes.io/created-by", "user"}
)

// observe converts a delta to an observation. If the body cannot be decoded, the
// observation has the body but no state.
//
// Errors: the removed fields could not be cut out of the body, so that nothing of it may
// be stored.
func observe(p *projection, d *delta.Delta, source model.Source) (observation, error) {
	rec := &d.Record
	o := observation{uid: rec.UID, namespace: rec.Namespace, name: rec.Name, version: rec.Version, deleted: d.Kind == delta.Delete, source: source, seen: d.Seen}
	var err error
	if o.body, err = p.body(rec); err != nil {
		return o, fmt.Errorf("%s at version %v: %w", rec.Key, rec.Version, err)
	}
	obj, err := p.decode(rec, o.body)
	if err != nil {
		o.invalid = err
		o.status.Message = err.Error()
		if o.deleted {
			o.status.State = state.Deleted
		}
		o.labels = maps.Collect(wire.Record{Encoding: wire.JSON, Body: o.body}.Labels())
		return o, nil
	}
	if o.status, o.invalid = p.status(obj.Object); o.invalid != nil {
		o.status.Message = o.invalid.Error()
	}
	if o.deleted {
		o.status = state.Status{State: state.Deleted, Raw: o.status.Raw, Reason: o.status.Reason, Message: o.status.Message}
	}
	o.created, o.labels = obj.GetCreationTimestamp().Time, obj.GetLabels()
	for _, ref := range obj.GetOwnerReferences() {
		if ref.Controller != nil && *ref.Controller {
			o.owner = model.Owner{UID: string(ref.UID), Kind: ref.Kind, Name: ref.Name}
		}
	}
	o.queue, o.submitter = firstOf(o.labels, queueLabels), firstOf(o.labels, submitterLabels)
	if o.submitter == "" {
		o.submitter = model.Truncate(firstOf(obj.GetAnnotations(), submitterLabels), model.MaxWord)
	}
	return o, nil
}

// attributes returns what the object can be found by.
func (o *observation) attributes(s model.Scope) model.Attributes {
	return model.Attributes{
		Cluster: s.Cluster, Resource: s.Resource, Namespace: o.namespace, Owner: o.owner, Queue: o.queue, Submitter: o.submitter, Labels: o.labels,
	}
}

// happenedAt returns when the object entered its state, in microseconds. since is when it
// entered the state before, or 0.
func (o *observation) happenedAt(since int64) int64 {
	return model.HappenedAt(o.status.At, o.seen, o.created, since)
}

// rawState, reason and message return texts as the columns of the database take them.
func (o *observation) rawState() string { return model.Truncate(o.status.Raw, model.MaxWord) }
func (o *observation) reason() string   { return model.Truncate(o.status.Reason, model.MaxWord) }
func (o *observation) message() string  { return model.Truncate(o.status.Message, model.MaxMessage) }

// revision returns the row of the revision of an object.
func (o *observation) revision(object int64, body model.StoredBody) model.Revision {
	return model.Revision{
		ObjectID: object, Version: o.version, Deleted: o.deleted, Source: o.source, SeenAt: model.Micros(o.seen),
		State: string(o.status.State), RawState: o.rawState(), Body: body,
	}
}

// transition returns the row of a transition of an object to the observed state.
func (o *observation) transition(object int64, from, fromRaw string, happenedAt int64) model.Transition {
	return model.Transition{
		ObjectID: object, Version: o.version, From: from, To: string(o.status.State), FromRaw: fromRaw, ToRaw: o.rawState(),
		Reason: o.reason(), Message: o.message(), HappenedAt: happenedAt, SeenAt: model.Micros(o.seen), Source: o.source,
	}
}

// firstOf returns the first value that is set under one of the names.
func firstOf(values map[string]string, names []string) string {
	for _, name := range names {
		if v := values[name]; v != "" {
			return v
		}
	}
	return ""
}

// missedDeletion returns the observation of a deletion that no watch reported. at is a
// version by which the object was deleted, and version that of its last revision.
func missedDeletion(key wire.Key, uid string, version, at wire.Version, seen time.Time, source model.Source) observation {
	if seen.IsZero() {
		seen = time.Now()
	}
	return observation{
		uid: uid, namespace: key.Namespace, name: key.Name, version: max(at, version+1), deleted: true, source: source, seen: seen,
		status: state.Status{State: state.Deleted},
	}
}
