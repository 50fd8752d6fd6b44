package erase

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/portal/audit"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Table is the number of rows of a table that an erasure removes or changes.
type Table struct {
	Name string
	Rows int64
	// Cleared means that the rows stay without their names and texts.
	Cleared bool
}

// Plan is what the erasure of one object removes.
type Plan struct {
	// Type, Namespace, Name and UID identify the object.
	Type, Namespace, Name, UID string
	// Tables are the tables with rows to remove or to change.
	Tables []Table
	// Created is when the oldest of the objects was created, or the zero time.
	Created time.Time

	root    model.ListedObject
	cluster int64
	objects []model.ListedObject // the root is the first one
	acts    []int64              // rows of the audit
	gaps    []int64
}

// Objects returns the number of objects, with those below the named one and their events.
func (p *Plan) Objects() int { return len(p.objects) }

// Find returns the plan for the object with a row ID.
//
// Errors: ErrGone; ErrExists, with the name of the object; those of the database.
func Find(ctx context.Context, db *sqldb.DB, object int64) (*Plan, error) {
	p := &Plan{}
	err := p.load(ctx, db, object)
	if err == nil {
		err = p.count(ctx, db)
	}
	if err != nil {
		return nil, db.Explain(err)
	}
	return p, nil
}

// load finds the objects of the plan.
func (p *Plan) load(ctx context.Context, db *sqldb.DB, object int64) error {
	f := &finder{db: db, seen: map[int64]bool{}}
	if err := f.find(ctx, object); err != nil {
		return err
	}
	p.objects, p.cluster, p.root = f.found, f.cluster, f.found[0]
	p.Type, p.Namespace, p.Name, p.UID = p.root.Type.String(), p.root.Namespace, p.root.Name, p.root.UID
	for i := range p.objects {
		o := &p.objects[i]
		exists := o.Presence == model.Present || o.Presence == model.Unselected
		if exists && !isEvent(o.Type) { // Kubernetes deletes events within hours
			return fmt.Errorf("%s %s/%s with the UID %s: %w", o.Type, o.Namespace, o.Name, o.UID, ErrExists)
		}
		if at := model.Time(o.CreatedAt); !at.IsZero() && (p.Created.IsZero() || at.Before(p.Created)) {
			p.Created = at
		}
	}
	return nil
}

// ids returns the row IDs of the objects.
func (p *Plan) ids() []int64 {
	ids := make([]int64, len(p.objects))
	for i := range p.objects {
		ids[i] = p.objects[i].ID
	}
	return ids
}

// uids returns the UIDs of the objects.
func (p *Plan) uids() []string {
	uids := make([]string, len(p.objects))
	for i := range p.objects {
		uids[i] = p.objects[i].UID
	}
	return uids
}

// messages selects the rows of package delivery.
func (p *Plan) messages() delivery.Of { return delivery.Of{Objects: p.ids(), UIDs: p.uids()} }

// logs selects the kept logs.
func (p *Plan) logs() joblog.Selection {
	return joblog.Selection{ClusterUID: p.root.ClusterUID, UIDs: p.uids()}
}

// tables are the tables of the history with a column for the object.
var tables = []string{"objects", "jobs", "job_parts", "open_parts", "revisions", "transitions", "labels", model.IndexTable}

// count counts the rows.
func (p *Plan) count(ctx context.Context, db *sqldb.DB) error {
	for _, table := range tables {
		n, err := model.CountRows(ctx, db, table, p.ids())
		if err != nil {
			return err
		}
		p.Tables = append(p.Tables, Table{Name: table, Rows: n})
	}
	logs, err := joblog.CountOf(ctx, db, p.logs())
	if err != nil {
		return err
	}
	m, err := delivery.CountErased(ctx, db, p.messages())
	if err != nil {
		return err
	}
	if p.acts, err = audit.ActsOn(ctx, db, p.named(db.Now())); err != nil {
		return err
	}
	if err := p.findGaps(ctx, db); err != nil {
		return err
	}
	p.Tables = append(p.Tables, Table{Name: "kept_logs", Rows: logs}, Table{Name: "deliveries", Rows: m.Deliveries}, Table{Name: "digest_items", Rows: m.DigestItems},
		Table{Name: "notify_timers", Rows: m.Timers}, Table{Name: "mutes", Rows: m.Mutes}, Table{Name: "subscriptions", Rows: m.Subscriptions},
		Table{Name: "portal_audit", Rows: int64(len(p.acts)), Cleared: true}, Table{Name: "gaps", Rows: int64(len(p.gaps)), Cleared: true})
	p.Tables = slices.DeleteFunc(p.Tables, func(t Table) bool { return t.Rows == 0 })
	return nil
}

// nearLife is how long before its creation and after its deletion an act may name an object.
const nearLife = time.Hour

// named returns the objects as the audit may name them.
func (p *Plan) named(now time.Time) []audit.Erased {
	all := make([]audit.Erased, len(p.objects))
	for i := range p.objects {
		o := &p.objects[i]
		to := model.Time(cmp.Or(o.DeletedAt, model.Micros(now)))
		all[i] = audit.Erased{UID: o.UID, Namespace: o.Namespace, Name: o.Name, From: model.Time(o.CreatedAt).Add(-nearLife), To: to.Add(nearLife)}
	}
	return all
}

// findGaps finds the gaps whose explanation names one of the objects.
func (p *Plan) findGaps(ctx context.Context, db *sqldb.DB) error {
	names := map[model.Type]map[string]bool{}
	for i := range p.objects {
		o := &p.objects[i]
		if names[o.Type] == nil {
			names[o.Type] = map[string]bool{}
		}
		names[o.Type][o.Namespace+"/"+o.Name], names[o.Type][o.UID] = true, true
	}
	for t, of := range names {
		resource, err := model.ResourceID(ctx, db, t)
		if err != nil {
			return err
		}
		err = model.GapDetails(ctx, db, p.cluster, resource, func(g model.GapDetail) {
			if slices.ContainsFunc(wordsOf(g.Detail), func(word string) bool { return of[word] }) {
				p.gaps = append(p.gaps, g.ID)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}
