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
	// Since reports whether the person sees jobs of a type ("jobs.batch") in a namespace, and those
	// created from which time on.
	Since(cluster, clusterUID, typ, namespace string) (time.Time, bool)
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
	// Since reports whether a person with a right in a namespace, or in all if it is empty, sees the
	// records there, and those of objects created from which time on. Nil means all of them.
	Since func(ctx context.Context, cluster, clusterUID, namespace string) (time.Time, bool, error)
	Now   func() time.Time // default: time.Now
}
