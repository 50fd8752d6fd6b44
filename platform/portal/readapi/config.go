package readapi

import (
	"context"
	"log/slog"
	"time"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/portal/access"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/insight"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Sight decides what a person sees: an *access.Sight.
type Sight interface {
	// All reports whether the person sees everything.
	All() bool
	// Sees reports whether the person sees jobs of any type in a namespace.
	Sees(cluster, namespace string) bool
	// Since reports whether the person sees jobs of a type ("jobs.batch") in a namespace, and those
	// created from which time on. An empty UID is the present cluster of the name.
	Since(cluster, clusterUID, typ, namespace string) (time.Time, bool)
	// SeesJob reports whether the person sees a job that was created at a time.
	SeesJob(cluster, clusterUID, typ, namespace string, created time.Time) bool
	// SeesPods reports whether the person sees the pods of jobs in a namespace.
	SeesPods(cluster, namespace string) bool
	// Key is equal for two sights with the same permissions.
	Key() string
}

// Config configures the operations. DB, Index and Sight are required.
type Config struct {
	// DB is the database of a recorder, with at least the rights to read.
	DB *sqldb.DB
	// Histories answers queries about the histories and the logs of jobs; default DB. It may be
	// the view of a replica.
	Histories *sqldb.DB
	Index     *jobindex.Index

	// Insight explains why jobs wait and fail; default one that reads lines on request.
	Insight *insight.Insight
	// Sight returns the sight of the person of a context.
	Sight func(context.Context) (Sight, error)
	// Operates reports whether the person of a context may see the operations page and dead
	// letters. Default: people who see everything.
	Operates func(context.Context) (bool, error)
	// May returns nil if the person of a context has a right, also in clusters that the portal
	// cannot reach. Default: everybody has all rights.
	May func(context.Context, access.Right) error
	// Trusting returns the clusters whose namespaces the portal may not read, so that it trusts their
	// names. It may be nil.
	Trusting func() []string
	// Cluster returns a cluster for requests in the name of the person of a context. It is nil
	// if the portal reaches no cluster.
	Cluster func(ctx context.Context, name string) (*kube.Cluster, error)
	// Clusters are the valid names for Cluster.
	Clusters []string
	// TraceURL returns the URL of the trace of a job; nil if traces are not configured.
	TraceURL func(clusterUID, jobUID string) string
	// CSRF returns the token for the writes of a session; default none.
	CSRF func(context.Context) string

	// Version is the version of the program. KeepsDays is the number of days after which retention
	// removes the history of ended jobs; 0 if it removes none, or if that is unknown. Demo means
	// that the portal shows the demo.
	Version   string
	KeepsDays int
	Demo      bool
	// Browsers returns the number of open streams, and their lag in seconds; -1 if unknown. It may
	// be nil.
	Browsers func() (open int, lag float64)
	// Watches returns the state of the recorder in this process. Other watches are derived
	// from the database. It may be nil.
	Watches func() []api.Watch

	// Patience is the maximum time that a list waits for columns from the database, such as
	// messages and nodes; default 700 ms. After it, the list is sent without them.
	Patience time.Duration

	Now    func() time.Time // default: time.Now
	Logger *slog.Logger     // default: slog.Default()
}

// withDefaults returns the configuration with its defaults.
func (c Config) withDefaults() Config {
	if c.Histories == nil {
		c.Histories = c.DB
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Patience == 0 {
		c.Patience = 700 * time.Millisecond
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if c.Insight == nil {
		c.Insight = insight.New(insight.Config{DB: c.Histories, Index: c.Index, Now: c.Now})
	}
	if c.CSRF == nil {
		c.CSRF = func(context.Context) string { return "" }
	}
	if c.May == nil {
		c.May = func(context.Context, access.Right) error { return nil }
	}
	if c.Trusting == nil {
		c.Trusting = func() []string { return nil }
	}
	if c.Operates == nil {
		c.Operates = func(ctx context.Context) (bool, error) {
			s, err := c.Sight(ctx)
			return err == nil && s.All(), err
		}
	}
	return c
}
