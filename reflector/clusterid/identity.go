package clusterid

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/vedette-io/vedette/internal/pause"
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
	asking      bool          // Learn waits for an answer
	answered    chan struct{} // closed when the answer to the last question has come
	settling    bool          // Settle waits for an answer
	reported    bool          // the log says that the identity is unknown
	failures    int           // consecutive questions that failed
	failing     time.Time     // of the first of them
	retry       time.Time
	watches     map[*watch]struct{} // open watches that began without an answer
}

// watch is an open watch. end ends it because another cluster answers.
type watch struct{ end func(error) }

const (
	// patience bounds how long a watch waits for the identity of the cluster. The question
	// must not delay the watch for longer.
	patience = 2 * time.Second
	// retryAfter is the time between two questions while none is answered.
	retryAfter = 30 * time.Second
	// maxRefusals is the number of consecutive questions without an answer after which a
	// Guard with policy End allows requests. If connections broke, it also waits for
	// retryAfter: a server that restarts breaks several connections within a second, and may
	// be another one afterwards.
	maxRefusals = 3
)

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
	i.asking, i.answered = true, make(chan struct{})
	defer close(i.answered)
	i.mu.Unlock()
	uid, err := i.cluster.Identity(ctx, time.Time{})
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.asking = false; err == nil && i.uid == "" && !i.restored {
		i.uid = uid
	}
}

// Await is Learn, and waits for the answer to the question of another call.
func (i *Identity) Await(ctx context.Context) {
	i.Learn(ctx)
	i.mu.Lock()
	asking, answered := i.asking, i.answered
	i.mu.Unlock()
	if !asking {
		return
	}
	select {
	case <-answered:
	case <-ctx.Done():
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
	uid, err := i.ask(ctx, since)
	if ctx.Err() != nil {
		i.Invalidate() // the next call needs a new answer
		return replacement{}, cmp.Or(err, context.Cause(ctx))
	}
	i.mu.Lock()
	if err != nil && !i.toleratesLocked(err) {
		i.invalidated = time.Now()
		i.mu.Unlock()
		return replacement{}, err
	}
	i.foundLocked(uid, err)
	if i.restored = false; err == nil || final(err) {
		i.verified = since
	}
	i.mu.Unlock()
	return i.outcome()
}

// ask asks which cluster answers. It takes no longer than patience, unless the policy is
// End.
func (i *Identity) ask(ctx context.Context, since time.Time) (uid string, err error) {
	if i.cluster == nil {
		return "", errUnsupported
	}
	if i.policy == Relist {
		limited, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		ctx = limited
	}
	return i.cluster.Identity(ctx, since)
}

// toleratesLocked reports whether requests continue although the question failed. It records
// when to ask again.
func (i *Identity) toleratesLocked(err error) bool {
	if unreachable(err) { // the request would fail too
		return false
	}
	if final(err) {
		return i.policy == Relist
	}
	if i.failures++; i.failures == 1 {
		i.failing = time.Now()
	}
	if i.policy == End && (i.failures < maxRefusals || cut(err) && time.Since(i.failing) < retryAfter) {
		return false
	}
	i.retry = time.Now().Add(retryAfter)
	return true
}

// Settle asks again every half minute until an answer says which cluster answers. If it is
// another one, watches that began meanwhile end with an error that wraps
// reflector.ErrReplaced (Relist) or reflector.ErrSourceEnded (End). Only one call asks at a
// time; the others return at once.
func (i *Identity) Settle(ctx context.Context) {
	i.mu.Lock()
	if i.settling || len(i.watches) == 0 {
		i.mu.Unlock()
		return
	}
	i.settling = true
	i.mu.Unlock()
	for pause.For(ctx, retryAfter) == nil && i.hasWatches() {
		uid, err := i.ask(ctx, time.Now().Add(-time.Nanosecond))
		i.mu.Lock()
		if err == nil && ctx.Err() == nil {
			i.foundLocked(uid, nil)
			i.verified, i.settling = time.Now(), false
			clear(i.watches)
			i.mu.Unlock()
			return
		}
		i.mu.Unlock()
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.settling = false
}

func (i *Identity) hasWatches() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return len(i.watches) > 0
}

// unsettled records a watch that begins without an answer, and reports whether it does.
func (i *Identity) unsettled(w *watch) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.retry.IsZero() || i.policy == Relist && !i.invalidated.After(i.verified) {
		return false
	}
	if i.watches == nil {
		i.watches = map[*watch]struct{}{}
	}
	i.watches[w] = struct{}{}
	return true
}

// closed forgets a watch.
func (i *Identity) closed(w *watch) {
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.watches, w)
}

// begin returns the time after which an answer must have been requested, or that no
// answer is needed.
func (i *Identity) begin() (since time.Time, done bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	later := time.Now().Before(i.retry)
	if i.policy == End {
		return time.Now(), i.last.err != nil || later
	}
	return i.invalidated, !i.restored && (later || !i.invalidated.After(i.verified))
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
	if err == nil {
		i.failures, i.retry = 0, time.Time{}
	}
	switch {
	case err != nil && i.restored:
		i.replacedLocked(relist("whether the cluster is that of the snapshot file is not known: %w", err))
	case err != nil && !i.reported:
		i.reported = true
		if !final(err) {
			i.logger.Warn("the identity of the cluster cannot be read; asking again every 30 seconds", "err", err)
			return
		}
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
	for w := range i.watches {
		w.end(err)
	}
	clear(i.watches)
	if i.policy == Relist {
		i.logger.Warn("listing from scratch", "err", err)
	}
}
