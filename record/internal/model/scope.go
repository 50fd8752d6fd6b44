package model

// Scope is the part of a type that one list and watch covers. Coverage and gaps belong
// to a scope.
type Scope struct {
	Cluster, Resource int64  // row IDs
	Namespace         string // empty: all
	Selectors         int64  // hash of the selectors; 0: no selectors
}

// inScope is the condition that a row belongs to exactly one scope. Scope.args returns its
// arguments.
const inScope = "cluster_id = ? AND resource_id = ? AND namespace = ? AND selector_hash = ?"

// args returns the arguments of inScope, followed by more.
func (s Scope) args(more ...any) []any {
	return append([]any{s.Cluster, s.Resource, s.Namespace, s.Selectors}, more...)
}

// within returns the condition that a scope includes a row. The scope may be wider than
// that of the row: all namespaces include each namespace, and no selectors include all
// selectors. selectors is the column with the hash of the row's selectors.
func (s Scope) within(selectors string) (condition string, args []any) {
	condition, args = "cluster_id = ? AND resource_id = ?", []any{s.Cluster, s.Resource}
	if s.Namespace != "" {
		condition, args = condition+" AND namespace = ?", append(args, s.Namespace)
	}
	if s.Selectors != 0 {
		condition, args = condition+" AND "+selectors+" = ?", append(args, s.Selectors)
	}
	return condition, args
}
