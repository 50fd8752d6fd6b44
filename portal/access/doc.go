// Package access decides what a person sees and does in the portal, as the API servers of the
// clusters say.
//
// # Data flow
//
//	Person -> SubjectAccessReview "list" in all namespaces -> Sight
//	Person -> role bindings -> candidates -> SubjectAccessReview each -> Sight
//	Person, Right -> SubjectAccessReview -> May
//	Person -> impersonation -> kube.Cluster
//	token -> TokenReview -> Person
//
// A person sees the jobs of a type in a namespace if they may list that type there. One review
// asks about all namespaces. If the answer is no, the role bindings, which the package
// follows, say where the person may have rights, and only these namespaces are reviewed. If the
// portal may not read bindings, the namespaces are reviewed that the person asks for.
//
// # Ownership
//
// Any number of goroutines may use an Access. The caller closes the clusters; those that
// Cluster returns share their connections and are not closed. Run blocks, and has joined its
// goroutines when it returns. A Sight does not change.
//
// # Guarantees
//
// Rights come from the API server. Bindings only say what to ask, with one exception: of more
// than 100 namespaces with the same ClusterRoles bound to the person, three are reviewed, and
// their answer counts for the others if all three agree. So authorizers besides RBAC that
// distinguish namespaces may be overlooked there.
//
// A sight counts for at most 30 s. It ends at once if a binding of the person or of one of the
// groups changes. [Sight.Expired] tells open streams. So a right that is taken away is gone
// within 60 s, also on open streams. A cluster that does not answer counts with its last
// answer until that is 60 s old. Then nothing of it is seen, and Sight fails if no cluster is
// left. Rights to write are reviewed for each request.
//
// A cluster that the portal does not reach shows nothing to anybody, unless Config.Rights is
// off. A person whom a cluster has named by a token has rights only in the clusters that know
// the token by the same name.
//
// # Limits
//
// At most 500 namespaces of more than 100 candidates are reviewed for one type of one cluster;
// the others are not seen, with a warning in the log. 16 reviews of a person run at once. The
// package remembers 5,000 people, 1,000 clients, and 50 namespaces that a person has asked
// for. The questions about a person take at most 10 s.
//
// The credentials of the portal need these rights: create subjectaccessreviews and
// tokenreviews (the ClusterRole system:auth-delegator), list and watch rolebindings and
// clusterrolebindings, and impersonate users, groups and userextras.
//
// # Errors
//
// Errors are problem documents, see api.Problem: sign-in, denied with the role that would give
// the right, cluster, unavailable.
package access
