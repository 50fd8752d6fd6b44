package erase

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vedette-io/vedette/internal/pause"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/audit"
	"github.com/vedette-io/vedette/platform/portal/identity"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// signIn is how the audit names a person who uses the command line.
const signIn api.SignIn = "shell"

// objectsAtOnce is the number of objects that one transaction removes.
const objectsAtOnce = 50

// Run removes the rows of a plan, and parts that were recorded since. It writes an act to the audit
// with the UID and the type of the object, without its name. Then it calls Clean.
//
// Errors: those of the database. Rows that were removed before an error stay removed. If the row of
// the object is left, Find and Run continue; otherwise Clean does.
func Run(ctx context.Context, c Config, p *Plan) (scrubbed bool, err error) {
	who := identity.With(ctx, identity.Person{Name: c.By, SignIn: signIn})
	act, err := audit.New(c.DB, -1).Begin(who, api.AuditEntry{Act: audit.ActErase, Object: p.Type, Job: &api.JobRef{Cluster: p.root.Cluster, Type: p.Type, UID: p.UID}})
	if err != nil {
		return false, c.DB.Explain(err)
	}
	scrubbed, err = run(ctx, c, p)
	result, detail := audit.Done, p.String()
	if err != nil {
		result, detail = audit.Failed, "interrupted: "+detail
	}
	if ended := act.End(ctx, result, detail); err == nil {
		err = ended
	}
	return scrubbed, c.DB.Explain(err)
}

// String returns "3 objects: 3 rows of objects, 12 rows of revisions, …".
func (p *Plan) String() string {
	parts := make([]string, len(p.Tables))
	for i, t := range p.Tables {
		parts[i] = fmt.Sprintf("%d rows of %s", t.Rows, t.Name)
	}
	return fmt.Sprintf("%d objects: %s", len(p.objects), strings.Join(parts, ", "))
}

func run(ctx context.Context, c Config, p *Plan) (scrubbed bool, err error) {
	if err := mark(ctx, c.DB, p); err != nil {
		return false, err
	}
	if err := removeLogs(ctx, c.DB, p); err != nil {
		return false, err
	}
	err = transact(ctx, c.DB, func(tx *sqldb.Tx) error {
		if _, err := delivery.Erase(ctx, tx, p.messages()); err != nil {
			return err
		}
		if err := audit.Erase(ctx, tx, p.acts); err != nil {
			return err
		}
		return model.ClearGapDetails(ctx, tx, p.gaps)
	})
	if err != nil {
		return false, err
	}
	// The row of the named object goes last: until then, Find finds everything that is left.
	if err := remove(ctx, c, p); err != nil {
		return false, err
	}
	return clean(ctx, c)
}

// mark stores the objects as erased. A recorder may have stored another part before it could see
// that, so mark looks for parts again until there is no other one.
func mark(ctx context.Context, db *sqldb.DB, p *Plan) error {
	for known := 0; known < len(p.objects); {
		known = len(p.objects)
		all := make([]model.Erased, known)
		for i := range p.objects {
			all[i] = model.Erased{UID: p.objects[i].UID, Object: p.objects[i].ID}
		}
		err := transact(ctx, db, func(tx *sqldb.Tx) error {
			if err := model.BeginErasing(ctx, tx); err != nil {
				return err
			}
			return model.InsertErased(ctx, tx, p.root.ClusterUID, all, model.Micros(tx.Now()))
		})
		if err != nil {
			return err
		}
		f := &finder{db: db, seen: map[int64]bool{}}
		if err := f.find(ctx, p.root.ID); err != nil {
			return err
		}
		p.objects = f.found
		p.Tables, p.acts, p.gaps = nil, nil, nil
		if err := p.count(ctx, db); err != nil {
			return err
		}
	}
	return nil
}

// remove removes the rows of the history, those of the named object last.
func remove(ctx context.Context, c Config, p *Plan) error {
	ids := p.ids()
	entries, err := model.IndexEntriesOf(ctx, c.DB, ids)
	if err != nil {
		return err
	}
	of := map[int64][]model.IndexEntry{}
	for _, e := range entries {
		of[e.Object] = append(of[e.Object], e)
	}
	slices.Reverse(ids)
	done := 0
	for some := range slices.Chunk(ids, objectsAtOnce) {
		if err := transact(ctx, c.DB, func(tx *sqldb.Tx) error { return removeSome(ctx, tx, some, of) }); err != nil {
			return err
		}
		done += len(some)
		c.say("%d of %d objects", done, len(ids))
	}
	return nil
}

// removeSome removes the rows of some objects. An entry of the feed makes readers look at a job
// again, and find that it no longer exists.
func removeSome(ctx context.Context, tx *sqldb.Tx, ids []int64, index map[int64][]model.IndexEntry) error {
	var feed []model.FeedEntry
	err := model.EachRetained(ctx, tx, ids, true, func(o model.RetainedObject) {
		feed = append(feed, model.FeedEntry{RevisionID: model.RevisionID{Object: o.ID, Version: o.Version}, Kind: model.FeedWithdrawn})
	})
	if err != nil {
		return err
	}
	jobs, err := model.FactsOf(ctx, tx, ids)
	if err != nil {
		return err
	}
	feed = slices.DeleteFunc(feed, func(e model.FeedEntry) bool { _, isJob := jobs[e.Object]; return !isJob })
	for _, id := range ids {
		if err := model.DeleteIndexEntries(ctx, tx, index[id]); err != nil {
			return err
		}
	}
	if _, err := model.RemoveObjects(ctx, tx, ids); err != nil {
		return err
	}
	return model.InsertOutbox(ctx, tx, feed)
}

// removeLogs removes the kept logs. A recorder that shortens a log at the same time may be first.
func removeLogs(ctx context.Context, db *sqldb.DB, p *Plan) error {
	for try := 1; ; try++ {
		err := transact(ctx, db, func(tx *sqldb.Tx) error {
			_, err := joblog.RemoveOf(ctx, tx, p.logs())
			return err
		})
		if err != nil {
			return err
		}
		left, err := joblog.CountOf(ctx, db, p.logs())
		if err != nil || left == 0 {
			return err
		}
		if try == attempts {
			return fmt.Errorf("%d kept logs change all the time: run the command again", left)
		}
	}
}

// attempts is the maximum number of attempts of a transaction.
const attempts = 5

// transact runs a transaction, and repeats it after an error, because databases abort one of two
// deadlocked transactions.
func transact(ctx context.Context, db *sqldb.DB, do func(tx *sqldb.Tx) error) (err error) {
	for range attempts {
		if err = db.Transact(ctx, do); err == nil || ctx.Err() != nil {
			return err
		}
		if waited := pause.For(ctx, 100*time.Millisecond); waited != nil {
			return waited
		}
	}
	return err
}
