package record

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"os"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/internal/observe"
	"github.com/vedette-io/vedette/platform/record/shard"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/wire"
)

// Config configures a Recorder. Cluster and Targets are required.
type Config struct {
	// Cluster is the cluster to record.
	Cluster *kube.Cluster
	// ClusterName is the display name of the cluster. Default: its address.
	ClusterName string
	// Targets are the types to record.
	Targets []Target
	// Name distinguishes this recorder from other recorders of the same database. Default:
	// the host name.
	Name string
	// State returns the state of an object. Default: job.ReadStatus. If State panics, the
	// revision keeps the previous state, and a gap with the cause "invalid" records the
	// panic.
	State func(object map[string]any) job.Status
	// Redact lists the paths of fields that are not stored, such as
	// "spec.template.spec.containers.env". A path applies to every element of an array.
	// Write a dot within a name as \. as in metadata.annotations.example\.com/token.
	Redact []string
	// Reflector configures the list and watch.
	Reflector reflector.Config
	// Spill configures the files that hold deltas while the database is unavailable.
	Spill Spill
	// MonitorInterval is the interval of the check for types that have become unreachable.
	// Default: 10 seconds.
	MonitorInterval time.Duration
	// Start selects what Run does if the cluster or the database does not answer at the
	// start. Default: FailFast.
	Start StartMode
	// Shards divides the targets among the recorders with the same database: this one
	// records the targets that it holds. Run must not outlive Coordinator.Run. Default: the
	// recorder records all targets.
	Shards *shard.Coordinator
	// Logger receives each fault of the server and of the database once, the end of each
	// fault, and messages that no caller receives as an error. Default: the value of
	// slog.Default() at the time of the message. slog.New(slog.DiscardHandler) disables
	// logging.
	Logger *slog.Logger
}

// StartMode selects what Run does while the cluster or the database does not answer at the
// start.
type StartMode uint8

const (
	// FailFast makes Run return an error if the cluster or the database does not answer at
	// the start.
	FailFast StartMode = iota
	// Wait makes Run retry until the cluster and the database answer.
	Wait
)

// Spill configures the files that hold deltas while the database is unavailable. The zero
// value disables the spill. Without a spill, the recorder stops reading from the server
// when its queue is full. An outage of the database then causes a gap if it lasts longer
// than the server keeps events, which is about 75 seconds for a busy type.
type Spill struct {
	// Dir is a directory that only this recorder uses. The recorder creates it if
	// necessary. The content outlives the process: the next recorder with the same
	// directory writes it to the database first.
	Dir string
	// After is the time for which the recorder retries a batch before it spills the batch.
	// Default: 2 seconds.
	After time.Duration
	// MaxBytes is the maximum size of all files together. Default: DefaultSpill. At the
	// limit, the recorder stops reading from the server.
	MaxBytes int64
}

// DefaultSpill is the default of Spill.MaxBytes, in bytes: 1 GiB.
const DefaultSpill = 1 << 30

// Target selects the objects of one type.
type Target struct {
	// Type is the name of the type, in a form that kube.Cluster.Resolve accepts. If the
	// server does not serve the type, the recorder waits for it.
	Type string
	// Namespace limits the target to one namespace. Empty means all namespaces.
	Namespace string
	// LabelSelector and FieldSelector limit the target to the objects that match. When an
	// object no longer matches, the recorder gets the object by name to distinguish this
	// from a deletion. It needs the right to get objects of the type.
	LabelSelector, FieldSelector string
	// UIDs limits the target to a range of UIDs. The default is all objects. The server
	// selects them if it has KEP-5866; otherwise the recorder skips the others without
	// decoding them.
	UIDs wire.UIDRange
}

// Divide returns n targets, each with a range of the UIDs of t, for recorders that share the
// work (Config.Shards). n is a power of two of at most wire.MaxUIDRanges. All recorders must
// use the same n; a later change loses nothing.
func (t Target) Divide(n int) []Target {
	if n <= 1 {
		return []Target{t}
	}
	all := make([]Target, n)
	for i := range all {
		all[i] = t
		all[i].UIDs = wire.UIDRange{Index: i, Count: n}
	}
	return all
}

// selection returns the selection for requests to the server.
func (t Target) selection() kube.Selection {
	return kube.Selection{Namespace: t.Namespace, LabelSelector: t.LabelSelector, FieldSelector: t.FieldSelector, UIDs: t.UIDs, Encoding: kube.JSONOnly}
}

// selectorHash returns the hash that identifies the selectors in the database. It returns 0
// without selectors.
func (t Target) selectorHash() int64 {
	if t.LabelSelector == "" && t.FieldSelector == "" {
		return 0
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(t.LabelSelector + "\x00" + t.FieldSelector)) // Write never returns an error
	return int64(h.Sum64())
}

// check returns an error if the target is invalid.
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

// withDefaults returns the configuration with defaults for unset fields.
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
	if c.Shards != nil {
		if c.Name != "" && c.Name != c.Shards.Name() {
			return c, fmt.Errorf("record: Config.Name is %q, and the name of Config.Shards is %q: use one name", c.Name, c.Shards.Name())
		}
		c.Name = c.Shards.Name()
	}
	if c.Name == "" {
		c.Name, _ = os.Hostname() // an empty name is valid
	}
	c.Spill.MaxBytes = cmp.Or(c.Spill.MaxBytes, DefaultSpill)
	c.Spill.After = cmp.Or(c.Spill.After, 2*time.Second)
	c.MonitorInterval = cmp.Or(c.MonitorInterval, 10*time.Second)
	return c, nil
}

// retryDelay returns the delay after the n-th consecutive failure to start, counted from 0.
// It grows quickly: a starting server refuses requests only briefly, while a fault that an
// administrator must fix lasts longer.
func (c *Config) retryDelay(n int) time.Duration {
	d := cmp.Or(c.Reflector.MinBackoff, 800*time.Millisecond)
	most := cmp.Or(c.Reflector.SlowRetry, 30*time.Second)
	for ; n > 0 && d < most; n-- {
		d += min(d, most-d)
	}
	return min(d, most)
}

// CheckFieldPath returns an error if text is not a valid item of Config.Redact.
func CheckFieldPath(text string) error {
	_, err := observe.ParseFieldPath(text)
	return err
}
