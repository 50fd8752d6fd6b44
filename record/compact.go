package record

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"
)

// ended is the age after which a row of coverage is one that nobody extends.
const ended = 24 * time.Hour

// span is a row of coverage.
type span struct {
	coverage
	place
	recorder     string
	fromAt, toAt int64
	last         bool // of its recorder, which may go on with it
	moved, gone  bool
}

// compact joins rows of coverage that touch, and removes gaps that were healed as long
// ago as revisions are kept. What recorders need to resume stays as it is: the row of
// each place that ends last, and the last of each recorder.
func (p *pruner) compact(ctx context.Context) error {
	cutoff := int64(0)
	if p.Keep < Forever {
		cutoff = micros(p.now.Add(-p.Keep))
	}
	return p.d.within(ctx, func(tx *sql.Tx) error {
		var healed int64
		row := tx.QueryRowContext(ctx, p.d.Rebind("SELECT COUNT(*) FROM gaps WHERE healed_at > 0 AND healed_at < ?"), cutoff)
		if err := row.Scan(&healed); err != nil {
			return err
		}
		p.Ledger += int(healed)
		if healed > 0 && !p.dry {
			if _, err := p.d.exec(ctx, tx, "DELETE FROM gaps WHERE healed_at > 0 AND healed_at < ?", cutoff); err != nil {
				return err
			}
		}
		spans, err := p.spans(ctx, tx)
		if err != nil {
			return err
		}
		join(spans, micros(p.now.Add(-ended)), cutoff)
		return p.rewrite(ctx, tx, spans)
	})
}

// spans reads the coverage, place by place.
func (p *pruner) spans(ctx context.Context, tx *sql.Tx) (all []*span, err error) {
	rows, err := tx.QueryContext(ctx, "SELECT id, cluster_id, resource_id, namespace, selector_hash, recorder, from_version, to_version, from_at, to_at FROM coverage"+
		" ORDER BY cluster_id, resource_id, namespace, selector_hash, from_version, id")
	if err != nil {
		return nil, err
	}
	type owner struct {
		place
		recorder string
	}
	lasts, ends := map[owner]*span{}, map[place]*span{}
	err = each(rows, func() error {
		s := &span{}
		err := rows.Scan(&s.id, &s.cluster, &s.resource, &s.namespace, &s.selectors, &s.recorder, &s.from, &s.to, &s.fromAt, &s.toAt)
		if of := (owner{s.place, s.recorder}); lasts[of] == nil || lasts[of].id < s.id {
			lasts[of] = s
		}
		if ends[s.place] == nil || ends[s.place].to < s.to {
			ends[s.place] = s
		}
		all = append(all, s)
		return err
	})
	for _, s := range lasts {
		s.last = true
	}
	for _, s := range ends {
		s.last = true
	}
	return all, err
}

// join decides which rows go: those that ended before a time and touch a later one,
// which then begins with them, and those that ended before the cutoff.
func join(spans []*span, ended, cutoff int64) {
	for i, s := range spans {
		if s.last || s.toAt >= ended {
			continue
		}
		for _, next := range slices.Concat(spans[i+1:], spans[:i]) {
			if next.gone || next.place != s.place || next.from > s.to || next.to < s.to {
				continue
			}
			if s.gone = true; s.from < next.from {
				next.from, next.fromAt, next.moved = s.from, s.fromAt, true
			}
			break
		}
		s.gone = s.gone || s.toAt < cutoff
	}
}

// rewrite does what was decided.
func (p *pruner) rewrite(ctx context.Context, tx *sql.Tx, spans []*span) error {
	slices.SortFunc(spans, func(x, y *span) int { return cmp.Compare(x.id, y.id) })
	for _, s := range spans {
		var err error
		switch {
		case s.gone:
			if p.Ledger++; !p.dry {
				_, err = p.d.exec(ctx, tx, "DELETE FROM coverage WHERE id = ?", s.id)
			}
		case s.moved && !p.dry:
			_, err = p.d.exec(ctx, tx, "UPDATE coverage SET from_version = ?, from_at = ? WHERE id = ?", int64(s.from), s.fromAt, s.id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
