package clusterid

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"
)

// Identifier identifies the cluster that answers. kube.Cluster and kube.Source implement
// it.
type Identifier interface {
	// Identity returns an answer that was requested after since.
	Identity(ctx context.Context, since time.Time) (string, error)
}

// Config is the configuration of an Identity.
type Config struct {
	// Cluster identifies the cluster that answers. If it is nil, the cluster cannot be
	// identified.
	Cluster Identifier
	// UID is the known identity. If it is empty, the first answer is the identity.
	UID string
	// Policy is the policy of all guards of the cluster.
	Policy Policy
	// Logger receives a warning for each replacement that guards answer with a list. Nil
	// means slog.Default.
	Logger *slog.Logger
}

// Identity holds the last known identity of one cluster. Create it with New.
type Identity struct {
	cluster Identifier
	policy  Policy
	logger  *slog.Logger

	mu          sync.Mutex
	uid         string    // empty if unknown
	restored    bool      // uid comes from a file and is not verified yet
	invalidated time.Time // since when another cluster may answer
	verified    time.Time // up to when the identity is verified
	last        replacement
	asking      bool // Learn waits for an answer
	reported    bool // the log says that the identity is unknown
}

// replacement is the last time when another cluster was found.
type replacement struct {
	number int64 // counts from 1; 0 if there was none
	err    error
}

// New returns the identity of a cluster. It sends no request.
func New(cfg Config) *Identity {
	logger := cfg.Logger
	if logger == nil {
		logger = slog.Default()
	}
	return &Identity{cluster: cfg.Cluster, uid: cfg.UID, policy: cfg.Policy, logger: logger}
}

// UID returns the identity, or "" if it is unknown.
func (i *Identity) UID() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.uid
}

// Restore records that the versions of a scope come from a file, which names the cluster
// or has no name for it (""). The next watch verifies this.
func (i *Identity) Restore(uid string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.restored && i.uid != uid {
		uid = "" // the scopes disagree, so the cluster is unknown
	}
	i.uid, i.restored, i.invalidated = uid, true, time.Now()
}

// Invalidate records a lost connection: the cluster may have been replaced meanwhile.
func (i *Identity) Invalidate() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.invalidated = time.Now()
}

// Learn asks for the identity if it is unknown. Only one call asks at a time; the others
// return at once.
func (i *Identity) Learn(ctx context.Context) {
	i.mu.Lock()
	if i.cluster == nil || i.asking || i.uid != "" || i.reported {
		i.mu.Unlock()
		return
	}
	i.asking = true
	i.mu.Unlock()
	uid, err := i.cluster.Identity(ctx, time.Time{})
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.asking = false; err == nil && i.uid == "" && !i.restored {
		i.uid = uid
	}
}

// verify asks which cluster answers, if that is in doubt, and returns the last
// replacement.
//
// Errors: those of the Identifier that the policy does not tolerate; with policy End, the
// error of the replacement; the cause of ctx.
func (i *Identity) verify(ctx context.Context) (replacement, error) {
	since, done := i.begin()
	if done {
		return i.outcome()
	}
	uid, err := "", errUnsupported
	if i.cluster != nil {
		uid, err = i.cluster.Identity(ctx, since)
	}
	if err != nil && !i.policy.tolerates(err) || ctx.Err() != nil {
		i.Invalidate() // the next call needs a new answer
		return replacement{}, cmp.Or(err, context.Cause(ctx))
	}
	i.mu.Lock()
	i.foundLocked(uid, err)
	i.verified, i.restored = since, false
	i.mu.Unlock()
	return i.outcome()
}

// begin returns the time after which an answer must have been requested, or that no
// answer is needed.
func (i *Identity) begin() (since time.Time, done bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.policy == End {
		return time.Now(), i.last.err != nil
	}
	return i.invalidated, !i.restored && !i.invalidated.After(i.verified)
}

func (i *Identity) outcome() (replacement, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.policy == End {
		return i.last, i.last.err
	}
	return i.last, nil
}

// foundLocked records which cluster answers, or why that is unknown.
func (i *Identity) foundLocked(uid string, err error) {
	switch {
	case err != nil && i.restored:
		i.replacedLocked(relist("whether the cluster is that of the snapshot file is not known: %w", err))
	case err != nil && !i.reported:
		i.reported = true
		i.logger.Info("a cluster that is replaced behind the same address would not be noticed", "err", err)
	case err != nil:
	case i.uid == "" && i.restored:
		i.replacedLocked(relist("the snapshot file does not name its cluster"))
		i.uid = uid
	case i.uid == "":
		i.uid = uid
	case i.uid != uid:
		i.replacedLocked(i.policy.replaced(uid, i.uid))
		i.uid = uid
	}
}

func (i *Identity) replacedLocked(err error) {
	i.last = replacement{i.last.number + 1, err}
	if i.policy == Relist {
		i.logger.Warn("listing from scratch", "err", err)
	}
}
