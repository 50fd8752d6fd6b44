package record

import (
	"context"

	"github.com/vedette-io/vedette/record/history"
	"github.com/vedette-io/vedette/wire"
)

// What tests read of the history.
type (
	Name   = history.ObjectName
	Type   = history.Type
	Paging = history.Paging
)

var (
	ErrUnknown          = history.ErrUnknown
	mostRows, mostMarks int
)

func (d *Database) Objects(ctx context.Context, n Name, p Paging) (history.Page[history.Object], error) {
	return history.New(d.DB).Objects(ctx, n, p)
}

func (d *Database) Revision(ctx context.Context, object int64, version wire.Version) ([]byte, wire.Version, error) {
	return history.New(d.DB).Body(ctx, object, version)
}

func (d *Database) StateBegan(ctx context.Context, cluster string, of Type, uid string, at wire.Version) (wire.Version, error) {
	return history.New(d.DB).StateBegan(ctx, cluster, of, uid, at)
}
