package config

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/vedette-io/vedette/internal/glob"
)

// Naming selects the jobs that may name a channel, by cluster and namespace: only those are not
// words of the job itself. The zero value selects none.
type Naming struct {
	some                 bool
	clusters, namespaces []glob.Pattern // empty selects all
}

// Any reports whether some job may name the channel.
func (n *Naming) Any() bool { return n.some }

// Allows reports whether jobs of a namespace may name the channel. Empty names mean all clusters
// and all namespaces.
func (n *Naming) Allows(cluster, namespace string) bool {
	return n.some && glob.MatchesAny(n.clusters, cluster) && glob.MatchesAny(n.namespaces, namespace)
}

// String describes the jobs: "no", "yes", or the clusters and namespaces.
func (n *Naming) String() string {
	var parts []string
	for _, some := range []struct {
		what  string
		globs []glob.Pattern
	}{{"clusters", n.clusters}, {"namespaces", n.namespaces}} {
		var names []string
		for _, g := range some.globs {
			names = append(names, string(g))
		}
		if len(names) > 0 {
			parts = append(parts, some.what+" "+strings.Join(names, ", "))
		}
	}
	switch {
	case !n.some:
		return "no"
	case len(parts) == 0:
		return "yes"
	}
	return strings.Join(parts, "; ")
}

// naming reads the field named-by-jobs: true, false, or a table.
func (r *reader) naming(n *yaml.Node) Naming {
	if isNull(n) || n.Kind != yaml.MappingNode {
		return Naming{some: !isNull(n) && r.Truth(n, "named-by-jobs without {clusters, namespaces}")}
	}
	f := r.Fields(n, "named-by-jobs", "clusters", "namespaces")
	all := Naming{some: true, clusters: r.globs(f["clusters"], "clusters"), namespaces: r.globs(f["namespaces"], "namespaces")}
	if len(all.clusters)+len(all.namespaces) == 0 {
		r.Complain(n.Line, "named-by-jobs has no cluster and no namespace: write true for all jobs")
		return Naming{}
	}
	return all
}

// Named are the people and channels that a job names as its owners.
type Named struct {
	// Cluster and Namespace are those of the job. They decide which channels it may name.
	Cluster, Namespace string
	Owners             []string
}
