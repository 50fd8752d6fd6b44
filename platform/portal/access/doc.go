// Package access decides what a person may see and do in the portal. It asks the API servers of the
// clusters.
//
// # Data flow
//
//	Person -> SubjectAccessReview "list" in all namespaces -> Sight
//	Person -> role bindings -> candidates -> SubjectAccessReview each -> Sight
//	Person, Right -> SubjectAccessReview -> May
//	Person -> role bindings -> one namespace for each role -> SelfSubjectRulesReview each -> MayCreate
//	Person -> impersonation -> kube.Cluster
//	token -> published keys, or the name from the client -> its cluster -> TokenReview -> Person
//
// A person sees the jobs of a type in a namespace if they may list that type there. The pods, the
// events and the logs of these jobs need the rights of RightTo, recorded ones as live ones. One review
// covers all namespaces. If it is denied, the package reviews only the namespaces in which a role
// binding names the person; it watches the bindings. If the portal may not read bindings, it
// reviews the namespaces that requests name.
//
// # Ownership
//
// Any number of goroutines may use an Access. The caller closes the clusters of the configuration.
// Clusters that the method Cluster returns share their connections and must not be closed. Run
// blocks, and joins its goroutines before it returns. A Sight does not change.
//
// # Guarantees
//
// Rights come from the API server. Bindings only select the namespaces to review, with one
// exception: of more than 100 namespaces with the same ClusterRoles bound to the person, three are
// reviewed, and their answer counts for the others if all three agree. Differences that an
// authorizer other than RBAC makes between these namespaces may be missed.
//
// A sight is valid for at most 30 s. It expires at once if a binding of the person or of one of
// their groups changes. [Sight.Expired] notifies open streams, so a revoked right ends within 60 s,
// also on open streams. If a cluster does not answer, its last answer is used until it is 60 s old.
// Then the cluster's jobs are hidden, and Sight fails if no cluster remains. Rights to write are
// reviewed for each request.
//
// MayCreate refuses only a person who certainly may create nothing. It passes a person whose rights
// are unknown: an API server does not answer, an authorizer other than RBAC cannot list rights, or
// the bindings cannot be read. A refusal is valid for 2 s, a right for 30 s.
//
// A right in a namespace counts for records of objects that were created in its present life, and a
// right in a cluster for records of the cluster that has the name now: see [Sight.Since]. Since when
// a namespace exists is read after the right was reviewed, so a new owner never gets the records of
// the old one. Operators see all. If the portal may not read namespaces, it trusts their names; the
// log says so, and Trusting returns the cluster.
//
// With Config.Rights, nobody sees the jobs of a cluster that the portal is not connected to. A
// person whom a cluster has identified sees and does nothing in other clusters, with or without
// rights, and is an operator only by a name with the cluster, such as "cluster:prod:ops".
//
// A token goes to one cluster: the one that the client names, or the only one whose published keys
// verify it. A [TokenReviewer] asks no cluster about a token of unknown origin, because each could
// use the token on the others. A cluster that publishes the keys of another one gets none of its
// tokens: a key that two clusters publish decides nothing, and a new key counts only after all
// clusters were asked for it. Keys are read again after 5 minutes. A token may be for the
// portal alone: its audience is then that of the reviewer, and not the API server.
//
// # Limits
//
// The metadata of at most 100 namespaces of a person is read one by one; of more, all namespaces of
// the cluster are listed, each time a sight is read.
//
// If a type has more than 100 candidates in a cluster, at most 500 namespaces are reviewed; the
// others are hidden, with a warning in the log. 16 reviews of a person run at once. The package
// caches 5,000 people, the answers of MayCreate for 5,000, 1,000 clients, and 50 namespaces that a person has named. All reviews of a
// person take at most 10 s. MayCreate reviews at most 100 namespaces of a cluster.
//
// The credentials of the portal need these rights: create subjectaccessreviews and
// tokenreviews (the ClusterRole system:auth-delegator), get the issuer and its keys (the ClusterRole
// system:service-account-issuer-discovery), list and watch rolebindings and clusterrolebindings, get
// and list namespaces, and impersonate users, groups and userextras.
//
// # Errors
//
// Errors are problem documents, see api.Problem: sign-in; denied, with a role that grants the
// right; cluster; unavailable.
package access
