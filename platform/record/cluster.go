package record

import (
	"context"
	"fmt"
	"time"

	"github.com/vedette-io/vedette/internal/pause"
	"github.com/vedette-io/vedette/platform/internal/jobstatus"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/reflector/clusterid"
)

// identifiedCluster is a cluster whose identity was verified.
type identifiedCluster struct {
	id       int64 // ID of its row
	uid      string
	identity *clusterid.Identity // ends all reflectors when a different cluster answers
}

// identifier verifies the identity of the cluster and stores it.
type identifier struct {
	cfg    *Config
	db     *sqldb.DB
	report *reporter
	last   int64 // row ID of the previous cluster; 0: none
}

// identify returns the cluster that answers, and records gaps for the clusters that it
// replaced. With wait, identify retries until it succeeds. replaced reports whether the
// first call found a replaced cluster.
//
// Errors: the server or the database did not answer; the cause of ctx.
func (i *identifier) identify(ctx context.Context, wait bool) (c identifiedCluster, replaced bool, err error) {
	log := i.report.fault("the identity of the cluster is not known yet", "the identity of the cluster is known", "host", i.cfg.Cluster.Host())
	defer log.Stop()
	for n := 0; ; n++ {
		err := i.report.ask(ctx, log, func() (err error) {
			c, replaced, err = i.try(ctx)
			return err
		})
		if err == nil || !wait {
			return c, replaced, err
		}
		if pause.For(ctx, i.cfg.retryDelay(n)) != nil {
			return c, false, context.Cause(ctx)
		}
	}
}

func (i *identifier) try(ctx context.Context) (c identifiedCluster, replaced bool, err error) {
	if c.uid, err = i.cfg.Cluster.Identity(ctx, time.Now()); err != nil {
		return c, false, err
	}
	gaps := 0
	bounded, done := i.db.Bounded(ctx)
	defer done()
	err = i.db.Transact(bounded, func(tx *sqldb.Tx) (err error) {
		c.id, gaps, err = i.store(bounded, tx, c.uid)
		return err
	})
	if err != nil {
		return c, false, fmt.Errorf("store the identity of the cluster: %w", err)
	}
	first := i.last == 0
	i.last = c.id
	c.identity = clusterid.New(clusterid.Config{Cluster: i.cfg.Cluster, UID: c.uid, Policy: clusterid.End, Logger: i.report.log()})
	return c, first && gaps > 0, nil
}

// store stores the cluster that has a UID and returns the number of gaps that it recorded.
// It records a gap for each scope of the clusters that this one replaced, because no
// recorder saw what happened to their objects. A different cluster of the same name counts
// as replaced if this recorder recorded it before, or if no recorder covers it.
func (i *identifier) store(ctx context.Context, tx *sqldb.Tx, uid string) (id int64, gaps int, err error) {
	now, name := tx.Now(), i.cfg.ClusterName
	if id, err = model.EnsureCluster(ctx, tx, uid, name, now); err != nil {
		return 0, 0, err
	}
	if err := model.RenameCluster(ctx, tx, id, name, now); err != nil {
		return 0, 0, err
	}
	ends, err := model.ScopesOfNamesakes(ctx, tx, name, id)
	if err != nil {
		return 0, 0, err
	}
	for _, e := range ends {
		if e.Cluster != i.last && e.At > model.Micros(now.Add(-coverageTimeout)) {
			continue
		}
		gap := model.Gap{Cause: model.CauseRebuilt, From: e.To, To: e.To, FromAt: model.Time(e.At), ToAt: now, Detail: "another cluster has replaced " + name}
		if err := model.InsertGap(ctx, tx, e.Scope, i.cfg.Name, gap); err != nil {
			return 0, 0, err
		}
		if err := jobstatus.SetPresence(ctx, tx, e.Scope, model.Present, model.Unknown); err != nil {
			return 0, 0, err
		}
		gaps++
	}
	return id, gaps, nil
}
