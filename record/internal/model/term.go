package model

import (
	"encoding/binary"
	"hash/fnv"
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

func termOf(kind, name, value string) Term {
	h := fnv.New64a()
	_, _ = h.Write([]byte(kind + "\x00" + name + "\x00" + value)) // a hash never returns an error
	return Term(h.Sum64())
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

// Hash returns a hash of all terms. A different hash shows that an attribute has changed.
func (a *Attributes) Hash() int64 {
	h := fnv.New64a()
	var number [8]byte
	for _, t := range a.Terms() {
		binary.LittleEndian.PutUint64(number[:], uint64(t))
		_, _ = h.Write(number[:]) // a hash never returns an error
	}
	return int64(h.Sum64())
}
