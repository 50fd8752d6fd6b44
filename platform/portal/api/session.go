package api

import "time"

// Session describes the person and the portal to the pages.
type Session struct {
	// Person is the person's name in the clusters; empty if nobody signed in and the portal
	// requires no sign-in.
	Person string `json:"person,omitempty"`
	// Cluster is the cluster whose token the person has, and in which alone the name counts; empty
	// if it counts in all clusters.
	Cluster string   `json:"cluster,omitempty"`
	Groups  []string `json:"groups,omitempty"`
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

// HeaderCluster is the header with the name of the cluster that issued a bearer token. It is needed
// if the portal cannot tell.
const HeaderCluster = "X-Vedette-Cluster"

// PathSignInMethods is the path of the sign-in methods. It is not below [Prefix].
const PathSignInMethods = "/auth/methods"

// Paths of the token of a portal without sign-in. They are not below [Prefix].
const (
	PathLocal      = "/auth/local"       // GET: ?token= opens the portal in a browser
	PathLocalProof = "/auth/local/proof" // GET: LocalProof of ?nonce=; not found if no such token is needed
)

// LocalProof proves that a portal without sign-in knows the token of its user, so that a client may
// send it.
type LocalProof struct {
	Proof string `json:"proof"`
}

// EndSessionsRequest ends all sessions of a person.
type EndSessionsRequest struct {
	// Person is the name by which the portal knows the person: "anna", or "cluster:prod:anna".
	Person string `json:"person" minLength:"1" maxLength:"512"`
}

// SignInMethods lists the ways to sign in. It is the answer to a GET of PathSignInMethods, which
// needs no sign-in.
type SignInMethods struct {
	// Demanded reports that sign-in is required.
	Demanded bool `json:"demanded"`
	// Local reports that the portal has no sign-in, and needs the token of the user who runs it. It
	// is sent as a bearer token.
	Local bool `json:"local"`
	// Token reports that the portal has tokens of its own. Kubernetes reports that it accepts
	// tokens of its clusters. Both are sent as bearer tokens.
	Token      bool `json:"token"`
	Kubernetes bool `json:"kubernetes"`
	// Audience is the audience of tokens of the clusters that only this portal accepts:
	// kubectl create token NAME --audience AUDIENCE.
	Audience string `json:"audience,omitempty"`
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
