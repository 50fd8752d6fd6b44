package model

import (
	"slices"
	"strconv"
)

// Term is a hash of an attribute by which an object is indexed: a label, a namespace, an
// owner. Hashes collide, so a reader of the transition index must verify each match.
type Term int64

// Kinds of terms. The database stores hashes of these words, so they must never change.
const (
	byCluster   = "cluster"
	byType      = "type"
	byNamespace = "namespace"
	byOwner     = "owner"
	byOwnerUID  = "owner uid"
	byQueue     = "queue"
	bySubmitter = "submitter"
	byLabel     = "label"
)

// termOf returns the FNV-1a hash of the three words, separated by zeros.
func termOf(kind, name, value string) Term {
	h := addByte(addText(fnvBegin, kind), 0)
	h = addByte(addText(h, name), 0)
	return Term(addText(h, value))
}

// FNV-1a of 64 bits, without the allocations of hash/fnv. A new object has a dozen terms.
const (
	fnvBegin = 14695981039346656037
	fnvPrime = 1099511628211
)

func addByte(h uint64, b byte) uint64 { return (h ^ uint64(b)) * fnvPrime }

func addText(h uint64, text string) uint64 {
	for i := range len(text) {
		h = addByte(h, text[i])
	}
	return h
}

func numberTerm(kind string, id int64) Term { return termOf(kind, "", strconv.FormatInt(id, 10)) }

// Owner is the object that controls another one.
type Owner struct{ UID, Kind, Name string }

// Attributes are the properties by which an object is indexed.
type Attributes struct {
	Cluster, Resource int64 // row IDs
	Namespace         string
	Owner             Owner
	Queue, Submitter  string
	Labels            map[string]string
}

// Terms returns the terms of all non-empty attributes, sorted.
func (a *Attributes) Terms() []Term {
	all := make([]Term, 0, 8+len(a.Labels))
	all = append(all, numberTerm(byCluster, a.Cluster), numberTerm(byType, a.Resource))
	add := func(kind, value string) {
		if value != "" {
			all = append(all, termOf(kind, "", value))
		}
	}
	add(byNamespace, a.Namespace)
	add(byOwnerUID, a.Owner.UID)
	add(byQueue, a.Queue)
	add(bySubmitter, a.Submitter)
	if a.Owner.Kind != "" {
		all = append(all, termOf(byOwner, a.Owner.Kind, a.Owner.Name))
	}
	for name, value := range a.Labels {
		all = append(all, termOf(byLabel, name, value))
	}
	slices.Sort(all)
	return all
}

// Hash returns HashTerms of all terms.
func (a *Attributes) Hash() int64 { return HashTerms(a.Terms()) }

// HashTerms returns a hash of the terms of an object. A different hash shows that an
// attribute has changed. The database stores it, so it must never change: it is FNV-1a of
// the terms as eight bytes each, the lowest first.
func HashTerms(all []Term) int64 {
	h := uint64(fnvBegin)
	for _, t := range all {
		for shift := range 8 {
			h = addByte(h, byte(uint64(t)>>(8*shift)))
		}
	}
	return int64(h)
}
