package record

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/vedette-io/vedette/wire"
)

// cluster is one cluster as the database knows it. It is told from others, also from
// one that is built in its place, by the UID of its namespace kube-system.
type cluster struct {
	id  int64
	uid string
	// asks returns the UID of who answers now; changed is called when it is another.
	asks    func(context.Context) (string, error)
	changed context.CancelCauseFunc
}

// same returns nil if the cluster is the one it was.
func (c *cluster) same(ctx context.Context) error {
	uid, err := c.asks(ctx)
	if err == nil && uid != c.uid {
		c.changed(errRebuilt)
		err = errRebuilt
	}
	return err
}

// identify finds out which cluster it is, and notes of others that stood at its place
// that they can not be seen any more. patient: it tries until it knows.
func (r *Recorder) identify(ctx context.Context, patient bool) (cluster, error) {
	log := r.faults("which cluster it is can not be found out yet", "which cluster it is has been found out", "host", r.cfg.Cluster.Host())
	defer log.Stop()
	for n := 0; ; n++ {
		var c cluster
		err := r.ask(ctx, log, func() (err error) {
			c, err = r.identifyOnce(ctx)
			return err
		})
		if err == nil || !patient || ctx.Err() != nil {
			return c, err
		}
		if !sleep(ctx, r.retry(n)) {
			return cluster{}, nil
		}
	}
}

func (r *Recorder) identifyOnce(ctx context.Context) (cluster, error) {
	c := cluster{asks: func(ctx context.Context) (string, error) { return r.cfg.Cluster.Identity(ctx, time.Now()) }}
	var err error
	if c.uid, err = c.asks(ctx); err != nil {
		return c, err
	}
	now := time.Now()
	if c.id, err = r.d.numberOf(ctx, "clusters", []string{"uid"}, []any{c.uid}, []string{"name", "seen_at"}, []any{r.cfg.ClusterName, micros(now)}); err != nil {
		return c, err
	}
	r.mu.Lock()
	before := r.cluster.id
	r.cluster = c
	r.mu.Unlock()
	noted, err := r.d.retire(ctx, c.id, r.cfg.ClusterName, r.cfg.Name, before, now)
	if noted > 0 && before == 0 { // while it runs, Run counts
		r.mu.Lock()
		r.rebuilt++
		r.mu.Unlock()
	}
	return c, err
}

// retire notes of other clusters of the same name that they were rebuilt: nobody has
// seen what became of their objects. One that another recorder still follows has the
// name by chance; sure is one that is known to be gone. It returns how many gaps it has
// noted.
func (d *Database) retire(ctx context.Context, id int64, name, recorder string, sure int64, now time.Time) (noted int, err error) {
	ctx, done := d.Bounded(ctx)
	defer done()
	err = d.within(ctx, func(tx *sql.Tx) error {
		noted = 0
		if _, err := d.exec(ctx, tx, "UPDATE clusters SET name = ?, seen_at = ? WHERE id = ?", name, micros(now), id); err != nil {
			return err
		}
		type end struct {
			place
			to wire.Version
			at int64
		}
		var ends []end
		rows, err := d.query(ctx, tx, "SELECT v.cluster_id, v.resource_id, v.namespace, MAX(v.to_version), MAX(v.to_at) FROM coverage v JOIN clusters c ON c.id = v.cluster_id"+
			" WHERE c.name = ? AND c.id <> ? AND NOT EXISTS (SELECT 1 FROM gaps g WHERE g.cluster_id = c.id AND g.resource_id = v.resource_id AND g.namespace = v.namespace AND g.cause = ?)"+
			" GROUP BY v.cluster_id, v.resource_id, v.namespace", name, id, CauseRebuilt)
		if err != nil {
			return err
		}
		err = each(rows, func() error {
			var e end
			err := rows.Scan(&e.cluster, &e.resource, &e.namespace, &e.to, &e.at)
			ends = append(ends, e)
			return err
		})
		if err != nil {
			return err
		}
		for _, e := range ends {
			if e.cluster != sure && e.at > micros(now.Add(-fresh)) {
				continue
			}
			h := hole{cause: CauseRebuilt, from: e.to, to: e.to, fromAt: moment(e.at), toAt: now, detail: "another cluster stands at the place of " + name}
			if err := d.gap(ctx, tx, e.place, recorder, h); err != nil {
				return err
			}
			if err := d.mark(ctx, tx, e.place, there, unknown); err != nil {
				return err
			}
			noted++
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("clusters: %w", err)
	}
	return noted, nil
}
