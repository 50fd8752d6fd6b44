package notify

import (
	"context"
	"log/slog"
	"time"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// fileComparison compares the file of a notifier with those of the others on its database.
// The notifier that plans uses its own file, so the rules of another file do nothing until
// its notifier plans. Replicas read a changed ConfigMap at different times.
type fileComparison struct {
	db     *sqldb.DB
	name   string
	now    func() time.Time
	hash   func() string
	logger func() *slog.Logger
}

// run reports and compares until ctx ends, and then removes its report.
func (f *fileComparison) run(ctx context.Context) {
	unlike := &faultlog.Reporter{Fault: "notifiers have different files", Over: "all notifiers have the same file", Logger: f.logger}
	defer unlike.Stop()
	tick := time.NewTicker(checkEvery)
	defer tick.Stop()
	for {
		if all, err := f.report(ctx); err == nil { // the planner logs faults of the database
			unlike.See(faultlog.State{Err: delivery.UnlikeFiles(all, f.now()), Remedy: "give all notifiers the same file"})
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			f.leave(context.WithoutCancel(ctx))
			return
		}
	}
}

// report stores the hash of the file, and returns the reports of all notifiers.
func (f *fileComparison) report(ctx context.Context) (all []delivery.ReportedFile, err error) {
	ctx, done := f.db.Bounded(ctx)
	defer done()
	now := f.now()
	err = f.db.Transact(ctx, func(tx *sqldb.Tx) error {
		own := delivery.ReportedFile{Notifier: f.name, Hash: f.hash(), At: now}
		if err := delivery.ReportFile(ctx, tx, own, now.Add(-delivery.ReportAge)); err != nil {
			return err
		}
		all, err = delivery.ReportedFiles(ctx, tx)
		return err
	})
	return all, err
}

// leave removes the report. A report that stays grows old.
func (f *fileComparison) leave(ctx context.Context) {
	ctx, done := f.db.Bounded(ctx)
	defer done()
	_ = f.db.Transact(ctx, func(tx *sqldb.Tx) error { return delivery.RemoveReport(ctx, tx, f.name) })
}
