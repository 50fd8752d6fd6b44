package shard

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// DefaultReplicas and DefaultLease are the defaults of Config.
const (
	DefaultReplicas = 2
	DefaultLease    = 15 * time.Second
)

// Config configures a Coordinator. DB is required.
type Config struct {
	// DB is the database that all members share. The caller closes it.
	DB *sqldb.DB
	// Name distinguishes this member from the others. While a live member has the same
	// name, this one waits. It does not wait for an earlier process of the same machine or
	// pod that has ended, on Linux. Default: the host name.
	Name string
	// Replicas is the number of holders of each shard. With 2, no revision waits for a
	// takeover when a holder fails. All members must have the same number; with different
	// ones, shards may move back and forth. Default: DefaultReplicas.
	Replicas int
	// Lease is the time without a sign of life after which a member is dead. The sign is
	// given five times in that time. Default: DefaultLease.
	Lease time.Duration
	// Program is the version of the program, for people.
	Program string
	// Logger receives faults and moved shards. Default: the value of slog.Default() at the
	// time of the message.
	Logger *slog.Logger
}

// withDefaults returns the configuration with its defaults.
//
// Errors: an invalid field.
func (c Config) withDefaults() (Config, error) {
	if c.Name == "" {
		c.Name, _ = os.Hostname() // an empty name is refused below
	}
	c.Replicas, c.Lease = cmp.Or(c.Replicas, DefaultReplicas), cmp.Or(c.Lease, DefaultLease)
	switch {
	case c.DB == nil:
		return c, errors.New("shard: Config.DB is nil")
	case c.Name == "":
		return c, errors.New("shard: Config.Name is empty, and the host has no name")
	case len(c.Name) > 200:
		return c, fmt.Errorf("shard: the name has %d bytes: want at most 200", len(c.Name))
	case c.Replicas < 0:
		return c, fmt.Errorf("shard: Config.Replicas is %d: want at least 1", c.Replicas)
	case c.Lease < time.Second:
		return c, fmt.Errorf("shard: Config.Lease is %v: want at least 1s", c.Lease)
	}
	return c, nil
}

// log returns the logger.
func (c *Config) log() *slog.Logger {
	if c.Logger != nil {
		return c.Logger
	}
	return slog.Default()
}
