package record

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/record/internal/batch"
	"github.com/vedette-io/vedette/record/internal/bodies"
	"github.com/vedette-io/vedette/record/internal/model"
	"github.com/vedette-io/vedette/record/internal/observe"
	"github.com/vedette-io/vedette/record/sqldb"
	"github.com/vedette-io/vedette/state"
	"github.com/vedette-io/vedette/wire"
)

// Observation is an observation of an object of cluster 1 and resource 1.
type Observation struct {
	UID     string
	Version wire.Version
	State   state.State
	Body    string
	Ago     int // seconds since the object entered the state, as the object reports; 0: not reported
	Raw     string
	Missed  bool // a list lacked the object, so its deletion was inferred
}

func (s *Observation) observation() observe.Observation {
	o := observe.Observation{
		UID: s.UID, Namespace: "ml", Name: "job-" + s.UID, Version: s.Version, Deleted: s.State == state.Deleted, Source: model.Watched,
		Seen: time.Unix(1_700_000_000+int64(s.Version), 0), Status: state.Status{State: s.State, Raw: s.Raw, Message: fmt.Sprint("at ", s.Version)}, Body: []byte(s.Body),
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
func Observe(r kube.Resource, stateOf func(map[string]any) state.Status, redact []string, d delta.Delta) (body string, status state.Status, labels map[string]string, err error) {
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
	p := planner{tracker: newTracker(0, time.Time{}), projection: observe.NewProjection(kube.Resource{Version: "v1", Name: "pods", Kind: "Pod"}, nil, nil)}
	for i := range n {
		plan, err := p.plan(context.Background(), []item{{Delta: make(i)}})
		if err != nil {
			return nil, err
		}
		plan.apply(p.tracker, model.Coverage{}, time.Now())
	}
	return p.tracker, nil
}
