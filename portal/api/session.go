package api

import "time"

// Session describes the person and the portal to the pages.
type Session struct {
	// Person is the person's name in the clusters; empty if nobody signed in and the portal
	// requires no sign-in.
	Person string   `json:"person,omitempty"`
	Groups []string `json:"groups,omitempty"`
	// Names are all names that mark a job as the person's own.
	Names []string `json:"names,omitempty"`
	// SignIn is how the person signed in.
	SignIn SignIn `json:"signIn"`
	// CSRF is the token that every write must send in the header X-Vedette-CSRF.
	CSRF    string    `json:"csrf"`
	Expires time.Time `json:"expires,omitzero"`
	// Clusters are the clusters of which the person may see jobs.
	Clusters []Cluster `json:"clusters"`
	// MaySubmit reports that the portal can write to at least one cluster.
	MaySubmit bool `json:"maySubmit"`
	// MaySeeOperations reports that the person may see all namespaces and the operations page.
	MaySeeOperations bool `json:"maySeeOperations"`
	// Notifies reports that the database stores notifications.
	Notifies bool `json:"notifies"`
	// KeepsDays is the number of days after which retention removes the history of ended jobs; 0 if
	// it removes none, or if this is unknown.
	KeepsDays int    `json:"keepsDays,omitempty"`
	Version   string `json:"version"` // of the program
	// Demo reports that the portal shows the demo.
	Demo bool      `json:"demo,omitempty"`
	Now  time.Time `json:"now"` // the clock of the server
}

// SignIn is how a person signed in.
type SignIn string

// Ways to sign in.
const (
	SignInNone  SignIn = "none"  // on the loopback address
	SignInToken SignIn = "token" // a bearer token
	SignInOIDC  SignIn = "oidc"
	SignInProxy SignIn = "proxy" // a header of a trusted proxy
)

// Cluster is a recorded cluster.
type Cluster struct {
	Name string `json:"name"`
	UID  string `json:"uid"`
	// Writable reports that the portal can reach the API server.
	Writable bool `json:"writable"`
	// Types are the types of jobs that the cluster has or had.
	Types []string `json:"types"`
}

// PathSignInMethods is the path of the sign-in methods. It is not below [Prefix].
const PathSignInMethods = "/auth/methods"

// SignInMethods lists the ways to sign in. It is the answer to a GET of PathSignInMethods, which
// needs no sign-in.
type SignInMethods struct {
	// Demanded reports that sign-in is required.
	Demanded bool `json:"demanded"`
	// Token reports that the portal has tokens of its own. Kubernetes reports that it accepts
	// tokens of its clusters. Both are sent as bearer tokens.
	Token      bool `json:"token"`
	Kubernetes bool `json:"kubernetes"`
	// OIDC is missing if the portal has no identity provider. Its ID tokens are sent as bearer
	// tokens.
	OIDC *SignInOIDCMethod `json:"oidc,omitempty"`
}

// SignInOIDCMethod is an identity provider.
type SignInOIDCMethod struct {
	Issuer   string `json:"issuer"`
	ClientID string `json:"clientID"`
	// Audiences are further client IDs whose ID tokens the portal accepts. The command line uses
	// the first one, or else ClientID.
	Audiences []string `json:"audiences,omitempty"`
	Scopes    []string `json:"scopes"`
}
