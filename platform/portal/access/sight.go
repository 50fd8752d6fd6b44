package access

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// scope is the set of namespaces in which a person sees one type of one cluster.
type scope struct {
	all        bool
	namespaces map[string]bool
}

// sees reports whether a namespace is in the scope.
func (s scope) sees(namespace string) bool { return s.all || s.namespaces[namespace] }

// place is a type in a cluster.
type place struct{ cluster, typ string }

// Sight is the set of jobs and of pods that a person may see. It does not change.
type Sight struct {
	everything bool   // no rights are asked for
	only       string // in this cluster; empty for all
	scopes     map[place]scope
	any        map[string]scope  // by cluster, of any type
	pods       map[string]scope  // by cluster
	lives      map[string]*lives // by cluster
	missing    []string
	full       bool                       // all scopes cover all namespaces
	uncovered  func(map[place]scope) bool // the history has clusters or types without a scope
	key        string
	expired    chan struct{} // nil: never
}

// everything is the sight of everybody where rights are not configured.
func everything() *Sight { return &Sight{everything: true, key: "all"} }

// everythingIn is the same for a person whom one cluster has identified. others reports whether
// there are other clusters.
func everythingIn(cluster string, others func() bool) *Sight {
	return &Sight{everything: true, only: cluster, full: true, uncovered: func(map[place]scope) bool { return others() }, key: "all in " + cluster}
}

// all reports whether the person sees everything in a cluster without a review.
func (s *Sight) all(cluster string) bool {
	return s.everything && (s.only == "" || s.only == cluster)
}

// newSight returns the sight with some scopes of jobs and of pods, and the lives of their namespaces.
// missing are the clusters that did not answer.
func newSight(scopes map[place]scope, pods map[string]scope, present map[string]*lives, missing []string, uncovered func(map[place]scope) bool) *Sight {
	s := &Sight{scopes: scopes, any: map[string]scope{}, pods: pods, lives: present, missing: missing, full: len(scopes) > 0 && len(missing) == 0, uncovered: uncovered, expired: make(chan struct{})}
	sum := sha256.New()
	write := func(words ...string) { sum.Write([]byte(strings.Join(words, "\x00") + "\n")) }
	order := slices.SortedFunc(maps.Keys(scopes), func(a, b place) int {
		return strings.Compare(a.cluster+"\x00"+a.typ, b.cluster+"\x00"+b.typ)
	})
	for _, at := range order {
		one := scopes[at]
		s.full = s.full && one.all
		write(at.cluster, at.typ)
		of, ok := s.any[at.cluster]
		if !ok {
			of = scope{namespaces: map[string]bool{}}
		}
		if one.all {
			of.all = true
			write("all")
		}
		for _, namespace := range slices.Sorted(maps.Keys(one.namespaces)) {
			of.namespaces[namespace] = true
			write("in", namespace)
		}
		s.any[at.cluster] = of
	}
	for _, cluster := range slices.Sorted(maps.Keys(pods)) {
		write("pods", cluster, strconv.FormatBool(pods[cluster].all))
		write(slices.Sorted(maps.Keys(pods[cluster].namespaces))...)
	}
	for _, cluster := range slices.Sorted(maps.Keys(present)) {
		l := present[cluster]
		if l == nil {
			write("all lives", cluster)
			continue
		}
		write("lives", cluster, l.cluster, strconv.FormatBool(l.trusted))
		for _, namespace := range slices.Sorted(maps.Keys(l.born)) {
			if s.any[cluster].namespaces[namespace] {
				write("born", namespace, l.born[namespace].UTC().Format(time.RFC3339))
			}
		}
	}
	s.key = hex.EncodeToString(sum.Sum(nil)[:16])
	return s
}

// expire closes the channel of Expired after a time, and returns a function that closes it at once.
// Both may happen.
func (s *Sight) expire(after time.Duration) (now func()) {
	over := make(chan struct{}, 1)
	over <- struct{}{}
	end := func() {
		select {
		case <-over:
			close(s.expired)
		default:
		}
	}
	timer := time.AfterFunc(after, end)
	return func() {
		timer.Stop()
		end()
	}
}

// All reports whether the person sees all jobs of the history: all types in all clusters. It is
// false if the history has a cluster that the portal is not connected to.
func (s *Sight) All() bool { return s.everything && s.only == "" || s.full && !s.uncovered(s.scopes) }

// Sees reports whether the person sees some jobs in a namespace. For a single job, use SeesJob.
func (s *Sight) Sees(cluster, namespace string) bool {
	_, some := s.Since(cluster, "", "", namespace)
	return some
}

// Since reports whether the person sees the jobs of a type ("jobs.batch") in a namespace, and those
// created from which time on: an older namespace of the same name belonged to somebody else. The
// empty type means any. clusterUID is the UID of the cluster in the history, because another cluster
// may have had the same name; empty for the present one.
func (s *Sight) Since(cluster, clusterUID, typ, namespace string) (since time.Time, some bool) {
	if s.all(cluster) {
		return time.Time{}, true
	}
	of := s.any[cluster]
	if typ != "" {
		of = s.scopes[place{cluster, typ}]
	}
	if !of.sees(namespace) {
		return time.Time{}, false
	}
	return s.lives[cluster].since(clusterUID, namespace, of.all)
}

// SeesJob reports whether the person sees a job of a type in a namespace that was created at a time.
// The arguments are those of Since.
func (s *Sight) SeesJob(cluster, clusterUID, typ, namespace string, created time.Time) bool {
	if s.All() {
		return true
	}
	since, some := s.Since(cluster, clusterUID, typ, namespace)
	return some && !created.Before(since)
}

// SeesPods reports whether the person sees the pods of the jobs of a namespace, by the right that
// RightTo returns. It does not include the jobs.
func (s *Sight) SeesPods(cluster, namespace string) bool {
	return s.all(cluster) || s.pods[cluster].sees(namespace)
}

// SeesCluster reports whether the person sees any job of a cluster.
func (s *Sight) SeesCluster(cluster string) bool {
	one := s.any[cluster]
	return s.all(cluster) || one.all || len(one.namespaces) > 0
}

// Missing are the clusters that have not answered for more than 60 s. Their jobs are hidden.
func (s *Sight) Missing() []string { return s.missing }

// Key is equal for two sights with the same jobs.
func (s *Sight) Key() string { return s.key }

// Expired returns a channel that is closed when the sight expires: after 30 s, or earlier if a
// binding of the person changes. It is nil for a sight that does not expire. An open stream then
// gets a new sight, and reports it to the client if the key has changed.
func (s *Sight) Expired() <-chan struct{} { return s.expired }
