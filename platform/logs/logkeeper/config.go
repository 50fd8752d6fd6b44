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
	// Cluster is the cluster of the pods, and ClusterName its name in logs and metrics.
	Cluster     *kube.Cluster
	ClusterName string
	// Store stores the logs, and replaces secrets in them.
	Store Store
	// Name is the name of this recorder. Recorders of one database need different names.
	// The default is the host name.
	Name string
	// Keep selects the pods whose logs are kept when their containers end. Tail selects
	// the pods whose logs are also kept while their containers run.
	Keep, Tail Selection
	// Namespaces are the watched namespaces; default all. Keep and Tail cannot select pods
	// in other namespaces.
	Namespaces []string

	// Lines is the number of lines of each log that are fetched, from the end; default
	// 500.
	Lines int
	// Bytes is the maximum text of each log in memory; default 1 MiB.
	Bytes int64
	// Fetches is the maximum number of concurrent fetches, and PerNode the maximum for one
	// node; default 16 and 4.
	Fetches, PerNode int
	// Timeout is the timeout of one fetch; default 30 s.
	Timeout time.Duration
	// Waiting is the maximum number of waiting fetches; default 20,000. A fetch without
	// room is started later, if its pod still exists.
	Waiting int
	// Hold is the maximum number of bytes of logs that wait for the database; default 64
	// MiB. Fetches start only if there is room for them.
	Hold int64
	// Tails is the maximum number of containers that are followed; default 200. TailEvery
	// is the interval in which their new lines are stored; default 5 s.
	Tails     int
	TailEvery time.Duration
	// Logger logs each fault once, and its end; default slog.Default().
	Logger *slog.Logger
}

// stallAfter is the time without an answer after which another fetch may run in place of a
// fetch.
const stallAfter = time.Second

// minHold is the number of logs that must fit into Hold.
const minHold = 2

// withDefaults returns the configuration with its defaults.
//
// Errors: a required field is missing; a negative number; a Hold for fewer than two logs.
func (c Config) withDefaults() (Config, error) {
	if c.Cluster == nil || c.Store == nil || c.Keep.Empty() && c.Tail.Empty() {
		return c, errors.New("logkeeper: Cluster, Store, and Keep or Tail are required")
	}
	if min(c.Lines, c.Fetches, c.PerNode, c.Waiting, c.Tails) < 0 || min(c.Bytes, c.Hold) < 0 || min(c.Timeout, c.TailEvery) < 0 {
		return c, errors.New("logkeeper: a bound is negative")
	}
	c.ClusterName = cmp.Or(c.ClusterName, c.Cluster.Host())
	if c.Name == "" {
		c.Name, _ = os.Hostname() // two recorders without names only repeat each other's work
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
