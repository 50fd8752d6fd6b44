package record

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"os"
	"time"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/record/internal/observe"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/state"
)

// Config says what a Recorder records. Cluster and Targets must be set.
type Config struct {
	// Cluster is the cluster to record.
	Cluster *kube.Cluster
	// ClusterName is the name of the cluster for users; default its address.
	ClusterName string
	// Targets are the types to record.
	Targets []Target
	// Name distinguishes this recorder from others that write into the same database;
	// default the host name.
	Name string
	// State returns the state of an object; default state.Of. If it panics, the revision
	// keeps the previous state, and a gap with cause invalid records the panic.
	State func(object map[string]any) state.Status
	// Redact names fields that are not stored, such as "spec.template.spec.containers.env".
	// A path passes through every element of an array. A dot within a name is written as
	// \. as in metadata.annotations.example\.com/token.
	Redact []string
	// Reflector configures how the server is read.
	Reflector reflector.Config
	// Spill configures where deltas wait while the database is unavailable.
	Spill Spill
	// MonitorInterval is how often the recorder checks whether a type has become
	// unreachable; default 10 seconds.
	MonitorInterval time.Duration
	// Start says what to do if the cluster or the database does not answer when Run
	// starts; default FailFast.
	Start StartMode
	// Logger receives each fault of the server and of the database once, the end of each
	// fault, and messages that no caller receives as an error. Default: the value of
	// slog.Default() when the line is written. slog.New(slog.DiscardHandler) disables
	// logging.
	Logger *slog.Logger
}

// StartMode says what Run does while the cluster or the database does not answer.
type StartMode uint8

const (
	// FailFast makes Run return an error if the cluster or the database does not answer at
	// the start.
	FailFast StartMode = iota
	// Wait makes Run retry until the cluster and the database answer.
	Wait
)

// Spill says where deltas wait while the database is unavailable. The zero value disables
// the spill: then the recorder stops reading from the server when its queue is full, and
// an outage of the database that is longer than the server's memory causes a gap. For a
// busy type, the server remembers about 75 seconds.
type Spill struct {
	// Dir is a directory for this recorder, which it creates if necessary. Its content
	// outlives the process: the next recorder with the same directory writes it first.
	Dir string
	// After is how long the recorder tries to write a batch before it spills the batch;
	// default 2 seconds.
	After time.Duration
	// MaxBytes bounds the size of all files together; default DefaultSpill. At the bound,
	// the recorder stops reading from the server.
	MaxBytes int64
}

// DefaultSpill is the default of Spill.MaxBytes: 1 GiB.
const DefaultSpill = 1 << 30

// Target selects the objects of one type.
type Target struct {
	// Type is the name of the type, in a form that kube.Cluster.Resolve accepts. The
	// recorder waits for a type that the server does not serve.
	Type string
	// Namespace limits the target to one namespace; empty means all.
	Namespace string
	// LabelSelector and FieldSelector limit the target to some objects. When an object
	// leaves the selection, the recorder gets it by name to tell this from a deletion,
	// which needs the right to get objects of the type.
	LabelSelector, FieldSelector string
}

// selection returns the selection for requests to the server.
func (t Target) selection() kube.Selection {
	return kube.Selection{Namespace: t.Namespace, LabelSelector: t.LabelSelector, FieldSelector: t.FieldSelector, Encoding: kube.JSONOnly}
}

// selectorHash returns the hash that identifies the selectors in the database; 0 if there
// are none.
func (t Target) selectorHash() int64 {
	if t.LabelSelector == "" && t.FieldSelector == "" {
		return 0
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(t.LabelSelector + "\x00" + t.FieldSelector)) // it never returns an error
	return int64(h.Sum64())
}

// check returns what is wrong with a target.
func (t Target) check() error {
	if t.Type == "" {
		return errors.New("record: a target has no type")
	}
	if _, err := kube.Named(t.Type); err != nil {
		return fmt.Errorf("record: %w", err)
	}
	if err := t.selection().Check(); err != nil {
		return fmt.Errorf("record: target %s: %w", t.Type, err)
	}
	return nil
}

// withDefaults returns the configuration with defaults for the fields that are not set.
//
// Errors: an invalid configuration.
func (c Config) withDefaults() (Config, error) {
	switch {
	case c.Cluster == nil:
		return c, errors.New("record: Config.Cluster is not set: it is the cluster to record")
	case len(c.Targets) == 0:
		return c, errors.New("record: Config.Targets is empty: name the types to record")
	case c.Spill.MaxBytes < 0 || c.Spill.After < 0 || c.MonitorInterval < 0:
		return c, errors.New("record: Config.Spill.MaxBytes, Config.Spill.After or Config.MonitorInterval is negative")
	case c.Start > Wait:
		return c, fmt.Errorf("record: Config.Start is %d: use FailFast or Wait", c.Start)
	}
	for _, t := range c.Targets {
		if err := t.check(); err != nil {
			return c, err
		}
	}
	c.ClusterName = cmp.Or(c.ClusterName, c.Cluster.Host())
	if c.Name == "" {
		c.Name, _ = os.Hostname() // an empty name is valid
	}
	c.Spill.MaxBytes = cmp.Or(c.Spill.MaxBytes, DefaultSpill)
	c.Spill.After = cmp.Or(c.Spill.After, 2*time.Second)
	c.MonitorInterval = cmp.Or(c.MonitorInterval, 10*time.Second)
	return c, nil
}

// retryDelay returns the delay after the n-th consecutive failure to start, counted from
// 0. It grows quickly: a starting server refuses requests only for a moment, while a
// fault that needs an administrator lasts longer.
func (c *Config) retryDelay(n int) time.Duration {
	d := cmp.Or(c.Reflector.MinBackoff, 800*time.Millisecond)
	most := cmp.Or(c.Reflector.SlowRetry, 30*time.Second)
	for ; n > 0 && d < most; n-- {
		d += min(d, most-d)
	}
	return min(d, most)
}

// CheckFieldPath returns what is wrong with an item of Config.Redact, and nil if it is
// valid.
func CheckFieldPath(text string) error {
	_, err := observe.ParseFieldPath(text)
	return err
}
