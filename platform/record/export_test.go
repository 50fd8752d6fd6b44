package record

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/internal/batch"
	"github.com/vedette-io/vedette/platform/internal/bodies"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/internal/observe"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// Observation is an observation of an object of cluster 1 and resource 1.
type Observation struct {
	UID     string
	Version wire.Version
	State   job.State
	Body    string
	Ago     int // seconds since the object entered the state, as the object reports; 0: not reported
	Raw     string
	Missed  bool // a list lacked the object, so its deletion was inferred
}

func (s *Observation) observation() observe.Observation {
	o := observe.Observation{
		UID: s.UID, Namespace: "ml", Name: "job-" + s.UID, Version: s.Version, Deleted: s.State == job.Deleted, Source: model.Watched,
		Seen: time.Unix(1_700_000_000+int64(s.Version), 0), Status: job.Status{State: s.State, Raw: s.Raw, Message: fmt.Sprint("at ", s.Version)}, Body: []byte(s.Body),
	}
	if s.Missed {
		o.Source, o.Body, o.Status.Message = model.Relisted, nil, ""
	}
	if s.Ago > 0 {
		o.Status.At = o.Seen.Add(-time.Duration(s.Ago) * time.Second)
	}
	return o
}

// Write writes observations in one transaction, like a recorder that has just started.
func Write(ctx context.Context, db *sqldb.DB, all []Observation) (batch.Result, error) {
	return WriteWith(ctx, db, bodies.NewEncoder(1, 1<<20), all)
}

// WriteWith is like Write, with the encoder of earlier batches.
func WriteWith(ctx context.Context, db *sqldb.DB, encoder *bodies.Encoder, all []Observation) (batch.Result, error) {
	observations := make([]observe.Observation, len(all))
	for i := range all {
		observations[i] = all[i].observation()
	}
	var result batch.Written
	err := db.Transact(ctx, func(tx *sqldb.Tx) (err error) {
		result, err = batch.Write(ctx, tx, model.Scope{Cluster: 1, Resource: 1}, encoder, observations)
		return err
	})
	if err == nil {
		encoder.Commit(result.Bodies)
	}
	return result.Result, err
}

// Observe returns the observation of a delta. stateOf may be nil.
func Observe(r kube.Resource, stateOf func(map[string]any) job.Status, redact []string, d delta.Delta) (body string, status job.Status, labels map[string]string, err error) {
	var fields []observe.FieldPath
	for _, text := range redact {
		fields = append(fields, strings.Split(text, "."))
	}
	o, err := observe.Observe(observe.NewProjection(r, stateOf, fields), &d, model.Watched)
	return string(o.Body), o.Status, o.Labels, err
}

// SpoolName returns the name of the spool of a target.
func SpoolName(r kube.Resource, cluster, database, recorder string, t Target) string {
	return spoolName(r, cluster, database, recorder, &t)
}

// FieldNames returns the names in a path of Config.Redact.
func FieldNames(text string) ([]string, error) { return observe.ParseFieldPath(text) }

// Track returns the tracker of a recorder after n objects, which make returns.
func Track(n int, make func(i int) delta.Delta) (any, error) {
	p := planner{tracker: newTracker(model.ResumePoint{}), projection: observe.NewProjection(kube.Resource{Version: "v1", Name: "pods", Kind: "Pod"}, nil, nil)}
	for i := range n {
		plan, err := p.plan(context.Background(), []item{{Delta: make(i)}})
		if err != nil {
			return nil, err
		}
		plan.apply(p.tracker, model.Coverage{}, time.Now())
	}
	return p.tracker, nil
}

// Planned returns the revisions that a recorder writes for batches of deltas.
func Planned(batches ...[]delta.Delta) (all []string, err error) {
	p := planner{tracker: newTracker(model.ResumePoint{}), projection: observe.NewProjection(kube.Resource{Version: "v1", Name: "pods", Kind: "Pod"}, nil, nil)}
	for _, batch := range batches {
		items := make([]item, len(batch))
		for i := range batch {
			items[i].Delta = batch[i]
		}
		plan, err := p.plan(context.Background(), items)
		if err != nil {
			return nil, err
		}
		for _, o := range plan.observations {
			all = append(all, fmt.Sprintf("%s %v %v as of %v", o.Name, o.Source, o.Version, o.AsOf))
		}
		plan.apply(p.tracker, model.Coverage{}, time.Now())
	}
	return all, nil
}

// Beats are the heartbeats of a recorder of cluster 1. Each target has the ID of its resource.
type Beats struct{ beats heartbeat }

// Progress is what a target of Beats has done.
type Progress struct {
	Follows, Silent    bool          // Silent: the watch has brought nothing in this process
	Uncommitted, Quiet time.Duration // ages of the oldest uncommitted delta and of the last frame
}

// NewBeats returns the heartbeats of a new process with some targets.
func NewBeats(db *sqldb.DB, recorder string, targets int) *Beats {
	return &Beats{heartbeat{db: db, cluster: 1, recorder: recorder, targets: targets, scopes: map[model.Scope]*pulse{}}}
}

// Beat sends a heartbeat.
func (b *Beats) Beat(ctx context.Context, all map[int64]Progress) error {
	for resource, p := range all {
		b.beats.follow(model.Scope{Cluster: 1, Resource: resource}, func() observed {
			now := time.Now()
			seen := observed{follows: p.Follows, committed: now.Add(-p.Uncommitted), heard: now.Add(-p.Quiet)}
			if p.Silent {
				seen.heard = time.Time{}
			}
			return seen
		})
	}
	return b.beats.beat(ctx)
}
