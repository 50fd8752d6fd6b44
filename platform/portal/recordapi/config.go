package recordapi

import (
	"context"
	"time"

	"github.com/vedette-io/vedette/platform/portal/access"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Sight decides what a person sees: an *access.Sight.
type Sight interface {
	// All reports whether the person sees all jobs.
	All() bool
	// SeesType reports whether the person sees jobs of a type ("jobs.batch") in a namespace.
	SeesType(cluster, typ, namespace string) bool
	// SeesCluster reports whether the person sees any job of a cluster.
	SeesCluster(cluster string) bool
}

// Config configures the operations. DB and Sight are required.
type Config struct {
	DB *sqldb.DB
	// Sight returns the sight of the person of a context.
	Sight func(context.Context) (Sight, error)
	// May returns nil if the person of a context has a right. Nil means that no rights are
	// configured, so everybody sees all records.
	May func(context.Context, access.Right) error
	Now func() time.Time // default: time.Now
}
