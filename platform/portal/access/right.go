package access

// Right is a right in the terms of RBAC.
type Right struct {
	Cluster string // its name
	Verb    string // get, list, create, patch, delete
	Group   string
	// Resource is the plural name: "jobs".
	Resource    string
	Subresource string
	Namespace   string // empty: all
	Name        string // empty: all
	// Also are further verbs in the role that a refusal proposes.
	Also []string
}
