package access

import (
	"context"
	"crypto"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// Times of reading the published keys.
const (
	keysFor     = 5 * time.Minute  // how long keys are used before they are read again
	keysPause   = 10 * time.Second // between two reads that a token of unknown origin causes
	keysTimeout = 5 * time.Second
)

// issuers has the published keys of all clusters, and finds out which cluster signed a token.
//
// A cluster may publish the keys of another one to attract its tokens. A key therefore counts only
// if all other clusters were asked after it was first seen, and none of them has it: a copy of a
// key cannot be older than the key.
type issuers struct {
	clusters []Cluster
	log      *slog.Logger
	now      func() time.Time

	turn chan struct{} // held by the goroutine that reads

	mu    sync.Mutex
	known map[string]*issuer // by cluster; the values do not change
	round int                // the number of the last read
	read  time.Time          // its end; zero if there was none
}

// issuer has the keys that a cluster published last.
type issuer struct {
	published
	round  int            // the last read that the cluster answered; 0 if none
	seen   map[string]int // by thumbprint of a key: the first read that had it
	failed bool           // the cluster did not answer the last read
}

func newIssuers(clusters []Cluster, log *slog.Logger) *issuers {
	return &issuers{clusters: clusters, log: log, now: time.Now, turn: make(chan struct{}, 1), known: map[string]*issuer{}}
}

// origin is what the published keys say about a token.
type origin struct {
	signers []string // the clusters with a key that has signed it
	claimed bool     // a cluster has its issuer
	unread  bool     // the keys of a cluster are not known, or are older than the key of the token
}

// decided reports whether exactly one cluster can have issued the token, or none.
func (o origin) decided() bool {
	return !o.unread && (len(o.signers) == 1 || len(o.signers) == 0 && o.claimed)
}

// of returns the origin of a token. It reads the keys again if they are old, or if they do not
// decide.
//
// Errors: the cause of ctx.
func (i *issuers) of(ctx context.Context, token signedToken) (origin, error) {
	if found, last := i.judge(token); len(found.signers) == 1 && found.decided() && i.now().Sub(last) < keysFor {
		return found, nil
	}
	select {
	case i.turn <- struct{}{}:
		defer func() { <-i.turn }()
	case <-ctx.Done():
		return origin{}, context.Cause(ctx)
	}
	found, last := i.judge(token)
	if !last.IsZero() && i.now().Sub(last) < keysPause {
		return found, nil
	}
	for range 2 { // the second time asks all clusters for a key that the first one has found
		i.readAll(ctx)
		if found, _ = i.judge(token); !found.unread {
			break
		}
	}
	return found, nil
}

// judge returns the origin of a token by the keys that were read before, and when that was.
func (i *issuers) judge(token signedToken) (found origin, last time.Time) {
	i.mu.Lock()
	known, last := maps.Clone(i.known), i.read
	i.mu.Unlock()
	first := 0 // the read that had the signer's key first
	for _, c := range i.clusters {
		of := known[c.Name]
		if of == nil || of.round == 0 {
			found.unread = true
			continue
		}
		if of.issuer != token.issuer {
			continue
		}
		found.claimed = true
		for _, key := range of.keys {
			if token.signedBy(key) {
				found.signers, first = append(found.signers, c.Name), of.seen[thumbprint(key)]
				break
			}
		}
	}
	for _, c := range i.clusters {
		if of := known[c.Name]; len(found.signers) == 1 && c.Name != found.signers[0] && of != nil && of.round <= first {
			found.unread = true
		}
	}
	return found, last
}

// readAll reads the keys of all clusters. Those of a cluster that does not answer stay.
func (i *issuers) readAll(ctx context.Context) {
	// Later requests use the keys too, so the end of this request must not cancel it.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keysTimeout)
	defer cancel()
	found, errs := make([]published, len(i.clusters)), make([]error, len(i.clusters))
	var wg sync.WaitGroup
	for n, c := range i.clusters {
		wg.Go(func() { found[n], errs[n] = publishedBy(ctx, c.Kube) })
	}
	wg.Wait()
	i.mu.Lock()
	defer i.mu.Unlock()
	i.round++
	i.read = i.now()
	for n, c := range i.clusters {
		before := i.known[c.Name]
		if before == nil {
			before = &issuer{}
		}
		if errs[n] != nil {
			if !before.failed {
				i.log.Warn("the keys of a cluster cannot be read, so people must name the cluster of a token", "cluster", c.Name, "err", errs[n])
			}
			after := *before
			after.failed = true
			i.known[c.Name] = &after
			continue
		}
		after := &issuer{published: found[n], round: i.round, seen: map[string]int{}}
		for _, key := range after.keys {
			print := thumbprint(key)
			if after.seen[print] = i.round; before.seen[print] > 0 {
				after.seen[print] = before.seen[print]
			}
		}
		i.known[c.Name] = after
	}
}

// thumbprint identifies a key.
func thumbprint(key jose.JSONWebKey) string {
	sum, err := key.Thumbprint(crypto.SHA256)
	if err != nil {
		return "" // a key of an unknown kind, which verifies nothing
	}
	return string(sum)
}
