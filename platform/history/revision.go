package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/vedette-io/vedette/platform/internal/bodies"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// Revision is a revision of an object, without its body.
type Revision struct {
	Version    wire.Version
	Deleted    bool // the object was deleted at this revision
	Source     Source
	Seen       time.Time
	State, Raw string // Raw is the raw state
}

func revisionsOf(ctx context.Context, db *sqldb.DB, object int64, p Paging) (Page[Revision], error) {
	return keysetPage(ctx, db, model.RevisionsOf(object), p, func(rows *sql.Rows) (Revision, int64, error) {
		r, err := model.ScanRevision(rows)
		return Revision{Version: r.Version, Deleted: r.Deleted, Source: r.Source, Seen: model.Time(r.SeenAt), State: r.State, Raw: r.RawState}, int64(r.Version), err
	})
}

func bodyAt(ctx context.Context, db *sqldb.DB, r *bodies.Reader, object int64, version wire.Version) (body []byte, at wire.Version, err error) {
	if at, err = model.FindRevision(ctx, db, object, version); errors.Is(err, sql.ErrNoRows) {
		return nil, 0, fmt.Errorf("revision %v of object %d: %w", version, object, ErrUnknown)
	}
	if err != nil {
		return nil, 0, db.Explain(err)
	}
	if body, err = r.Read(ctx, db, object, at); err != nil && !errors.Is(err, ErrNoBody) {
		err = db.Explain(err)
	}
	return body, at, err
}
