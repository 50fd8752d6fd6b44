package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/explain"
	"github.com/vedette-io/vedette/cmd/vedette/internal/portaljobs"
	"github.com/vedette-io/vedette/cmd/vedette/internal/source"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/submit"
)

// jobFinder finds a job in the cluster, or otherwise in the history. Either may be missing.
type jobFinder struct {
	cluster   *kube.Cluster
	failed    error // why the cluster is not available
	db        *sqldb.DB
	namespace string
	con       *console.Console
}

// find returns the job of a name. live reports whether the cluster can return its pods.
func (f *jobFinder) find(ctx context.Context, name string) (job submit.Job, live bool, err error) {
	if f.cluster != nil {
		job, err = submit.New(f.cluster, submit.Config{Namespace: f.namespace}).Find(ctx, name, f.namespace)
		if err == nil {
			return job, true, nil
		}
		f.failed = err
	}
	var unknown *submit.UnknownJobError
	var missing *kube.UnknownResourceError
	gone := errors.As(f.failed, &unknown) || errors.As(f.failed, &missing)
	var request *kube.RequestError
	away := f.cluster == nil || errors.As(f.failed, &request) && !errors.As(f.failed, new(*submit.DeniedError))
	switch {
	case f.db == nil && errors.As(f.failed, &unknown) && len(unknown.Elsewhere) == 0:
		return job, false, fmt.Errorf("%w; if it was deleted, a database may have its logs: name it with --db", f.failed)
	case f.db == nil || !gone && !away || ctx.Err() != nil:
		return job, false, f.failed
	}
	job, err = f.past(ctx, name)
	switch {
	case errors.Is(err, history.ErrUnknown) && gone:
		return job, false, fmt.Errorf("%w; nor does the history know such a job", f.failed)
	case err != nil:
		return job, false, err
	}
	if away {
		f.con.Say("only kept logs are shown, because the cluster cannot be asked: %s", explain.Line(f.failed))
		return job, false, nil
	}
	// Its pods may still exist.
	return job, true, nil
}

// past returns the last job of a name in the history.
func (f *jobFinder) past(ctx context.Context, name string) (submit.Job, error) {
	h := source.HistoryIn(f.db)
	o := readOptions{namespace: f.namespace}
	if o.namespace == "" && f.cluster != nil {
		o.namespace = f.cluster.Namespace()
	}
	if o.namespace == "" {
		o.namespace = "default"
	}
	types := job.Types()
	if typ, rest, typed := strings.Cut(name, "/"); typed {
		types, name = []string{typ}, rest
	}
	for _, typ := range types {
		objects, err := o.objects(ctx, h, []string{typ, name})
		switch {
		case err == nil:
			return portaljobs.JobOf(objects[0]), nil
		case len(types) == 1:
			return submit.Job{}, err
		case ctx.Err() != nil:
			return submit.Job{}, context.Cause(ctx)
		}
	}
	return submit.Job{}, fmt.Errorf("%s in the namespace %s: %w", name, o.namespace, history.ErrUnknown)
}
