package logkeeper

import (
	"cmp"
	"errors"
	"log/slog"
	"os"
	"time"

	"github.com/vedette-io/vedette/kube"
)

// Config is the configuration of a Keeper. Cluster, Store, and Keep or Tail are required.
type Config struct {
	// Cluster is where the pods are, and ClusterName its name in logs and metrics.
	Cluster     *kube.Cluster
	ClusterName string
	// Store keeps the logs, and replaces secrets in them.
	Store Store
	// Name is the name of this recorder. Recorders of one database have different names. The
	// default is the name of the host.
	Name string
	// Keep selects the pods whose logs are kept when their containers end. Tail selects the
	// pods whose logs are also kept while their containers run.
	Keep, Tail Selection
	// Namespaces are where pods are watched; default all. Pods in other namespaces are not
	// seen, whatever Keep and Tail select.
	Namespaces []string

	// Lines is how many lines of each log are fetched, the last ones; default 500.
	Lines int
	// Bytes is how much text of each log is held; default 1 MiB.
	Bytes int64
	// Fetches is how many fetches run at once, and PerNode how many on one node; default 16
	// and 4.
	Fetches, PerNode int
	// Timeout bounds one fetch; default 30 s.
	Timeout time.Duration
	// Waiting is how many fetches wait at most; default 20,000. A fetch without room is
	// begun later, if its pod still exists.
	Waiting int
	// Hold is how many bytes of logs wait for the database at most; default 64 MiB. Fetches
	// begin only if there is room for them.
	Hold int64
	// Tails is how many containers are followed at once; default 200. TailEvery is how often
	// their new lines are stored; default 5 s.
	Tails     int
	TailEvery time.Duration
	// Logger receives each fault once, and its end; default slog.Default().
	Logger *slog.Logger
}

// stallAfter is how long a fetch may be without an answer before another one may run in its
// place.
const stallAfter = time.Second

// minHold is how many logs fit into the smallest Hold.
const minHold = 2

// withDefaults returns the configuration with its defaults.
//
// Errors: something required is missing; a negative number; a Hold for fewer than two logs.
func (c Config) withDefaults() (Config, error) {
	if c.Cluster == nil || c.Store == nil || c.Keep.Empty() && c.Tail.Empty() {
		return c, errors.New("logkeeper: Cluster, Store, and Keep or Tail are required")
	}
	if min(c.Lines, c.Fetches, c.PerNode, c.Waiting, c.Tails) < 0 || min(c.Bytes, c.Hold) < 0 || min(c.Timeout, c.TailEvery) < 0 {
		return c, errors.New("logkeeper: a bound is negative")
	}
	c.ClusterName = cmp.Or(c.ClusterName, c.Cluster.Host())
	if c.Name == "" {
		c.Name, _ = os.Hostname() // two recorders without names only do the same work twice
	}
	c.Lines, c.Bytes = cmp.Or(c.Lines, 500), cmp.Or(c.Bytes, 1<<20)
	c.Fetches, c.PerNode, c.Timeout = cmp.Or(c.Fetches, 16), cmp.Or(c.PerNode, 4), cmp.Or(c.Timeout, 30*time.Second)
	c.Waiting, c.Hold = cmp.Or(c.Waiting, 20_000), cmp.Or(c.Hold, 64<<20)
	c.Tails, c.TailEvery = cmp.Or(c.Tails, 200), cmp.Or(c.TailEvery, 5*time.Second)
	if c.Hold < minHold*(c.Bytes+perLine*int64(c.Lines)+perLog) {
		return c, errors.New("logkeeper: Hold has no room for two logs of Lines and Bytes")
	}
	return c, nil
}

// log returns the logger. It looks up the default logger on each call.
func (c *Config) log() *slog.Logger { return cmp.Or(c.Logger, slog.Default()) }
