package observe

import (
	"fmt"
	"maps"
	"time"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/internal/model"

	"github.com/vedette-io/vedette/wire"
)

// Observation is one revision of an object on its way to the database.
type Observation struct {
	UID, Namespace, Name string
	Version              wire.Version
	AsOf                 wire.Version // of a reshown revision: a version at which the server has shown it
	Deleted              bool         // the object was deleted at this revision or earlier
	Source               model.Source
	Seen, Created        time.Time
	Status               job.Status
	Body                 []byte           // nil for an inferred deletion
	Prepared             model.StoredBody // the body, encoded in advance; zero if it was not
	Bodiless             bool             // the database refuses the body: only its size and its hash are stored
	Owner                model.Owner
	Queue, Submitter     string
	Labels               map[string]string
	Pod                  bool       // it is a pod
	OfJob                bool       // its type is one of jobs
	Facts                *job.Facts // of a job; nil if the body was not decoded
	Invalid              error      // reason why the state is unknown: an undecodable body, or a panic
	First                bool       // the recorder knows no earlier revision of the object; the database may have some

	terms []model.Term // result of Terms, or nil
}

// Observe converts a delta to an observation. If the body cannot be decoded, the
// observation has the body but no state.
//
// Errors: the redacted fields could not be removed from the body, so no part of it may be
// stored.
func Observe(p *Projection, d *delta.Delta, source model.Source) (Observation, error) {
	rec := &d.Record
	o := Observation{UID: rec.UID, Namespace: rec.Namespace, Name: rec.Name, Version: rec.Version, Deleted: d.Kind == delta.Delete, Source: source, Seen: d.Seen, Pod: p.isPod, OfJob: p.isJob}
	var err error
	if o.Body, err = p.body(rec); err != nil {
		return o, fmt.Errorf("%s at version %v: %w", rec.Key, rec.Version, err)
	}
	obj, err := p.decode(rec, o.Body)
	if err != nil {
		o.Invalid = err
		o.Status.Message = err.Error()
		if o.Deleted {
			o.Status.State = job.Deleted
		}
		o.Labels = maps.Collect(wire.Record{Encoding: wire.JSON, Body: o.Body}.Labels())
		return o, nil
	}
	o.Labels = obj.GetLabels()
	o.Queue = job.QueueOf(o.Labels)
	var spec *job.Spec
	if o.Status, spec, o.Invalid = p.decide(obj.Object); o.Invalid != nil {
		o.Status.Message = o.Invalid.Error()
	}
	if spec != nil {
		facts := spec.Facts(o.Status.State)
		o.Facts, o.Queue = &facts, model.Truncate(spec.Queue, model.MaxWord)
	}
	if o.Deleted {
		o.Status = job.Status{State: job.Deleted, Raw: o.Status.Raw, Reason: o.Status.Reason, Message: o.Status.Message}
	}
	o.Created = obj.GetCreationTimestamp().Time
	for _, ref := range obj.GetOwnerReferences() {
		if ref.Controller != nil && *ref.Controller {
			o.Owner = model.Owner{UID: string(ref.UID), Kind: ref.Kind, Name: ref.Name}
		}
	}
	o.Submitter = model.Truncate(job.SubmitterOf(o.Labels, obj.GetAnnotations()), model.MaxWord)
	return o, nil
}

// Attributes returns the attributes by which the object is indexed.
func (o *Observation) Attributes(s model.Scope) model.Attributes {
	return model.Attributes{
		Cluster: s.Cluster, Resource: s.Resource, Namespace: o.Namespace, Owner: o.Owner, Queue: o.Queue, Submitter: o.Submitter, Labels: o.Labels,
	}
}

// Terms returns the terms by which the object is indexed. It computes them once, so all calls
// must have the same scope. The caller must not change them.
func (o *Observation) Terms(s model.Scope) []model.Term {
	if o.terms == nil {
		a := o.Attributes(s)
		o.terms = a.Terms()
	}
	return o.terms
}

// HappenedAt returns the time when the object entered its state, in microseconds. since is
// the time when it entered the previous state, or 0.
func (o *Observation) HappenedAt(since int64) int64 {
	return model.HappenedAt(o.Status.At, o.Seen, o.Created, since)
}

// RawState returns the raw state, truncated to the size of its column.
func (o *Observation) RawState() string { return model.Truncate(o.Status.Raw, model.MaxWord) }

// Reason returns the reason, truncated to the size of its column.
func (o *Observation) Reason() string { return model.Truncate(o.Status.Reason, model.MaxWord) }

// Message returns the message, truncated to the size of its column.
func (o *Observation) Message() string { return model.Truncate(o.Status.Message, model.MaxMessage) }

// Revision returns the row of the revision of an object.
func (o *Observation) Revision(object int64, body model.StoredBody) model.Revision {
	return model.Revision{
		ObjectID: object, Version: o.Version, Deleted: o.Deleted, Source: o.Source, SeenAt: model.Micros(o.Seen),
		State: string(o.Status.State), RawState: o.RawState(), Body: body,
	}
}

// Transition returns the row of the transition of an object to the observed state.
func (o *Observation) Transition(object int64, from, fromRaw string, happenedAt int64) model.Transition {
	return model.Transition{
		ObjectID: object, Version: o.Version, From: from, To: string(o.Status.State), FromRaw: fromRaw, ToRaw: o.RawState(),
		Reason: o.Reason(), Message: o.Message(), HappenedAt: happenedAt, SeenAt: model.Micros(o.Seen), Source: o.Source,
	}
}

// MissedDeletion returns the observation of a deletion that no watch reported. version is
// the version of the last revision, and at is a version at which the object no longer
// existed.
func MissedDeletion(key wire.Key, uid string, version, at wire.Version, seen time.Time, source model.Source) Observation {
	if seen.IsZero() {
		seen = time.Now()
	}
	return Observation{
		UID: uid, Namespace: key.Namespace, Name: key.Name, Version: max(at, version+1), Deleted: true, Source: source, Seen: seen,
		Status: job.Status{State: job.Deleted},
	}
}
