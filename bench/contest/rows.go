package contest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// rows is the simplest recorder: each revision is a row with the object as JSON, and a
// transaction has all waiting revisions. It uses our reflector, connections and batches,
// so that only the rows differ. It has no states, transitions, resume points, duplicates
// of other recorders, or deletions while it was stopped.
type rows struct {
	*batched
	d *sqldb.DB
}

func newRows(d *sqldb.DB, _ string, cluster *kube.Cluster, r kube.Resource) (Keeper, error) {
	id, text := "BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY", "LONGTEXT"
	switch {
	case strings.HasPrefix(d.String(), "sqlite"):
		id, text = "INTEGER PRIMARY KEY", "TEXT"
	case strings.HasPrefix(d.String(), "postgres"):
		id, text = "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY", "TEXT"
	}
	_, err := d.SQL().Exec(fmt.Sprintf("CREATE TABLE plain (id %s, uid VARCHAR(63) NOT NULL, version BIGINT NOT NULL, type VARCHAR(8) NOT NULL,"+
		" namespace VARCHAR(63) NOT NULL, name VARCHAR(253) NOT NULL, seen_at BIGINT NOT NULL, object %s NOT NULL, UNIQUE (uid, version, type))", id, text))
	if err != nil {
		return nil, err
	}
	k := &rows{d: d}
	k.batched, err = newBatched(cluster, r, k.write)
	return k, err
}

func (k *rows) write(ctx context.Context, deltas delta.Batch) error {
	tx, err := k.d.SQL().BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	var args []any
	for i := range deltas {
		d := &deltas[i]
		args = append(args, d.Record.UID, int64(d.Record.Version), what(d.Kind), d.Record.Namespace, d.Record.Name, d.Seen.UnixMicro(), body(d.Record))
	}
	for rest := args; len(rest) > 0; {
		some := rest[:min(len(rest), 100*columns)]
		if _, err := tx.ExecContext(ctx, insertRows(len(some)/columns, strings.HasPrefix(k.d.String(), "postgres")), some...); err != nil {
			return errors.Join(err, tx.Rollback())
		}
		rest = rest[len(some):]
	}
	return tx.Commit()
}

func what(kind delta.Kind) string {
	if kind == delta.Delete {
		return "deleted"
	}
	return "there"
}

func body(r wire.Record) string { return string(r.Body) }

// columns is the number of columns of a row.
const columns = 7

func insertRows(n int, numbered bool) string {
	var b strings.Builder
	b.WriteString("INSERT INTO plain (uid, version, type, namespace, name, seen_at, object) VALUES ")
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		for j := range columns {
			b.WriteByte("(,,,,,,"[j])
			if numbered {
				fmt.Fprintf(&b, "$%d", i*columns+j+1)
			} else {
				b.WriteByte('?')
			}
		}
		b.WriteByte(')')
	}
	return b.String()
}
