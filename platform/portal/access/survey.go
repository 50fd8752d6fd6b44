package access

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/kube"
)

// Limits of the namespaces to review for one type of one cluster.
const (
	reviewEach = 100 // up to this number, each candidate is reviewed
	samples    = 3   // reviews of namespaces with equal roles, if there are more candidates
	maxReviews = 500
)

// survey determines what a person may see in one cluster.
type survey struct {
	name     string
	kube     *kube.Cluster
	bindings *bindings // nil: not watched
	log      *slog.Logger
	rules    *faultlog.Reporter // of reviews of the right to create
	births   *faultlog.Reporter // of reading namespaces
	trusted  atomic.Bool        // namespaces may not be read
}

// scope returns the namespaces in which a person has a right, which is one for all namespaces. asked
// are namespaces that requests have named; they count if the bindings are unknown.
func (s *survey) scope(ctx context.Context, who subject, right Right, asked []string) (scope, error) {
	all, err := allowed(ctx, s.kube, who, right)
	if all || err != nil {
		return scope{all: all}, err
	}
	if s.bindings == nil || !s.bindings.ready() {
		found, err := allowedIn(ctx, s.kube, who, right, asked)
		return scope{namespaces: found}, err
	}
	candidates, err := s.bindings.candidates(who)
	if err != nil {
		return scope{}, err
	}
	if len(candidates) <= reviewEach {
		found, err := allowedIn(ctx, s.kube, who, right, slices.Sorted(maps.Keys(candidates)))
		return scope{namespaces: found}, err
	}
	found, err := s.sampled(ctx, who, right, candidates)
	return scope{namespaces: found}, err
}

// sampled reviews some of the namespaces with equal roles. If the answers differ, another
// authorizer than RBAC decides, and all of them are reviewed.
func (s *survey) sampled(ctx context.Context, who subject, right Right, candidates map[string]map[string]bool) (map[string]bool, error) {
	groups := map[string][]string{} // namespaces by their roles
	for _, namespace := range slices.Sorted(maps.Keys(candidates)) {
		roles := strings.Join(slices.Sorted(maps.Keys(candidates[namespace])), "\x00")
		groups[roles] = append(groups[roles], namespace)
	}
	order := slices.SortedFunc(maps.Keys(groups), func(a, b string) int { return strings.Compare(groups[a][0], groups[b][0]) })
	var first []string
	for _, roles := range order {
		first = append(first, sampleOf(groups[roles])...)
	}
	left := maxReviews
	first = s.bounded(who, right, first, &left)
	found, err := allowedIn(ctx, s.kube, who, right, first)
	if err != nil {
		return nil, err
	}
	reviewed := map[string]bool{}
	for _, namespace := range first {
		reviewed[namespace] = true
	}
	var rest []string
	for _, roles := range order {
		all := groups[roles]
		sample := sampleOf(all)
		yes := 0
		for _, namespace := range sample {
			if found[namespace] {
				yes++
			}
		}
		switch {
		case slices.ContainsFunc(sample, func(n string) bool { return !reviewed[n] }):
		case yes == len(sample):
			for _, namespace := range all {
				found[namespace] = true
			}
		case yes > 0:
			rest = append(rest, slices.DeleteFunc(slices.Clone(all), func(n string) bool { return reviewed[n] })...)
		}
	}
	more, err := allowedIn(ctx, s.kube, who, right, s.bounded(who, right, rest, &left))
	maps.Copy(found, more)
	return found, err
}

// sampleOf returns the first, the middle and the last of some namespaces.
func sampleOf(all []string) []string {
	if len(all) <= samples {
		return all
	}
	return []string{all[0], all[len(all)/2], all[len(all)-1]}
}

// bounded returns as many namespaces as may still be reviewed. The others are hidden.
func (s *survey) bounded(who subject, right Right, namespaces []string, left *int) []string {
	if n := len(namespaces) - *left; n > 0 {
		s.log.Warn("a person has bindings in more namespaces than the portal reviews, so some are hidden", "person", who.name, "cluster", s.name, "type", right.Resource, "namespaces", n)
		namespaces = namespaces[:*left]
	}
	*left -= len(namespaces)
	return namespaces
}
