package model

import (
	"fmt"
	"hash/fnv"

	"github.com/vedette-io/vedette/wire"
)

// Scope is the part of a type that one list and watch covers. Coverage and gaps belong
// to a scope.
type Scope struct {
	Cluster, Resource int64  // row IDs
	Namespace         string // empty: all
	Selectors         int64  // hash of the selectors; 0: no selectors
	UIDs              wire.UIDRange
}

// hash returns the value of selector_hash: that of the selectors, or of the selectors and
// the UID range. Coverage, gaps and shards belong to a range. Objects have the hash of the
// selectors only, because their UID tells their range. So a target can be divided later, or
// otherwise.
func (s Scope) hash() int64 {
	if s.UIDs.IsAll() {
		return s.Selectors
	}
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%d\x00%d/%d", s.Selectors, s.UIDs.Index, s.UIDs.Count) // Write never returns an error
	return int64(h.Sum64())
}

// inScope is the condition that a row belongs to exactly one scope. Scope.args returns its
// arguments.
const inScope = "cluster_id = ? AND resource_id = ? AND namespace = ? AND selector_hash = ?"

// args returns the arguments of inScope, followed by more.
func (s Scope) args(more ...any) []any {
	return append([]any{s.Cluster, s.Resource, s.Namespace, s.hash()}, more...)
}

// within returns the condition that a scope includes a row. The scope may be wider than
// that of the row: all namespaces include each namespace, and no selectors include all
// selectors. selectors is the column with a hash, and hash that of the scope.
func (s Scope) within(selectors string, hash int64) (condition string, args []any) {
	condition, args = "cluster_id = ? AND resource_id = ?", []any{s.Cluster, s.Resource}
	if s.Namespace != "" {
		condition, args = condition+" AND namespace = ?", append(args, s.Namespace)
	}
	if hash != 0 {
		condition, args = condition+" AND "+selectors+" = ?", append(args, hash)
	}
	return condition, args
}
