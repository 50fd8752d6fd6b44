package access

// Right is what a request needs to be allowed to do, in the words of RBAC.
type Right struct {
	Cluster string // its name
	Verb    string // get, list, create, patch, delete
	Group   string
	// Resource is the plural name: "jobs".
	Resource    string
	Subresource string
	Namespace   string // empty: all
	Name        string // empty: all
	// Also are further verbs that the role of a refusal gives with it.
	Also []string
}
