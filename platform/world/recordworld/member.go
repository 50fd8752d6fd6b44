package recordworld

import (
	"crypto/sha256"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/wire"
)

// member is a job or a pod with all its rows.
type member struct {
	model.Attributes
	name, uid string
	created   int64 // in microseconds
	presence  model.Presence
	deleted   int64
	steps     []step
	facts     *job.Facts // nil: a pod
	job       int64      // row ID of the job of a pod
}

// step is one transition, optionally with a body.
type step struct {
	state       job.State
	raw, reason string
	message     string
	at          int64 // in microseconds
	version     wire.Version
	body        []byte
}

func uint64Version(n int) wire.Version { return wire.Version(n) }

// enter appends a transition.
func (m *member) enter(s job.State, raw, reason string, at time.Time) {
	one := step{state: s, raw: raw, reason: reason, at: at.UnixMicro()}
	if reason != "" {
		one.message = "the container main of " + m.name + " ended: " + reason
	}
	m.steps = append(m.steps, one)
}

// write stores a body at the last transition.
func (m *member) write(body []byte) { m.steps[len(m.steps)-1].body = body }

// last is the last transition.
func (m *member) last() *step { return &m.steps[len(m.steps)-1] }

// memberOf returns a job with the body of its last revision.
func memberOf(j *jobindex.Job, p places) member {
	m := member{name: j.Name, uid: j.UID, created: j.Submitted.UnixMicro()}
	m.Attributes = model.Attributes{
		Cluster: p.clusters[j.Cluster], Resource: p.resources[j.Type], Namespace: j.Namespace, Queue: j.Queue, Submitter: j.Owner, Labels: j.Labels,
	}
	first := j.Version - wire.Version(len(j.Transitions)) + 1
	for i, e := range j.Transitions {
		reason := ""
		if e.To == job.Failed {
			reason = j.Reason
		}
		m.enter(e.To, string(e.To), reason, e.At)
		m.steps[i].version = first + wire.Version(i)
	}
	if !j.Deleted.IsZero() {
		m.presence, m.deleted = model.Deleted, j.Deleted.UnixMicro()
	}
	body := bodyOf(j)
	m.write(body)
	m.facts = factsOf(body, j.State)
	return m
}

// places are the row IDs of clusters and types.
type places struct {
	clusters, resources map[string]int64
	pods                int64
}

// stored returns a body as a keyframe.
func stored(body []byte) model.StoredBody {
	sum := sha256.Sum256(body)
	return model.StoredBody{Hash: [16]byte(sum[:16]), Size: len(body), Data: body}
}
