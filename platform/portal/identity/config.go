package identity

import (
	"context"
	"log/slog"
	"time"
)

// Config configures sign-in. A portal without a way to sign in listens on a loopback address, and
// needs LocalToken or InsecureLoopback.
type Config struct {
	// Listen is the address that the portal listens on: "127.0.0.1:8790", ":8443". Other addresses
	// than loopback require sign-in. Empty means loopback.
	Listen string
	// LocalToken is the token that requests need if nobody can sign in. The user who runs the portal
	// has it, see [LocalURL].
	LocalToken string
	// InsecureLoopback allows a portal without sign-in and without LocalToken. Every user of this
	// machine may then read and write as the portal can.
	InsecureLoopback bool
	// TLS reports that the portal itself serves HTTPS.
	TLS bool
	// URL is the address by which browsers reach the portal: "https://vedette.example.com".
	// OIDC needs it.
	URL string
	// Hosts are further allowed values of the header Host. Without sign-in, only these and the
	// names of the loopback address are allowed.
	Hosts []string
	// Open are prefixes of paths that need no sign-in, such as "/assets/". Everything below them
	// must be public.
	Open []string
	// Tokens is a file with tokens; empty for none.
	Tokens string
	// OIDC signs in with an identity provider; nil for none.
	OIDC *OIDC
	// Proxy trusts an authenticating proxy; nil for none.
	Proxy *Proxy
	// Review asks a cluster for the person of a bearer token, see access.TokenReviewer; nil for none.
	// cluster is the one that the client has named, or empty. It returns false for a token that the
	// cluster does not know. A *api.Problem says why no cluster was asked.
	Review func(ctx context.Context, token, cluster string) (Person, bool, error)
	// Audience is the audience of tokens of the clusters that only this portal accepts; empty for
	// none. The sign-in page names it.
	Audience string
	// Several reports that Review serves several clusters, so the sign-in page has a field for the
	// name of one.
	Several bool
	// Key is a file with a key of at least 32 bytes, which encrypts sessions. Replicas share it.
	// Empty: a random key, so sessions end with the process.
	Key string
	// Lifetime and Idle bound a session; default 12 h, and 2 h without a request.
	Lifetime, Idle time.Duration
	// Endings shares ended sessions between replicas; nil for a portal without replicas.
	Endings Endings
	// Unsubscribe stops the messages that the link of a mail names. It returns false for a token that
	// it did not issue. nil: the portal sends no such links.
	Unsubscribe func(ctx context.Context, token string) (bool, error)
	// Logger gets failed sign-ins; default none.
	Logger *slog.Logger
}

// OIDC configures an identity provider.
type OIDC struct {
	// Issuer is the URL of the provider. ClientID identifies the portal to it.
	Issuer, ClientID string
	// SecretFile has the secret of the client; empty for a public client.
	SecretFile string
	// Scopes are requested in addition to openid; default profile and email, which all providers
	// support.
	Scopes []string
	// NameClaim is the claim with the name; default preferred_username, else email if it is
	// verified. GroupsClaim is the claim with the groups; default groups.
	NameClaim, GroupsClaim string
	// NamePrefix and GroupsPrefix are put before names and groups, like --oidc-username-prefix and
	// --oidc-groups-prefix of kube-apiserver.
	NamePrefix, GroupsPrefix string
	// Audiences are further client IDs whose ID tokens are accepted as bearer tokens, such as the
	// client ID of the command line. ClientID is always accepted.
	Audiences []string
	// CAFile has the certificate authorities of the provider; default: those of the system.
	CAFile string
}

// Proxy configures an authenticating proxy.
type Proxy struct {
	// CIDRs are the addresses of the proxy. Headers from other addresses are dropped.
	CIDRs []string
	// NameHeader and GroupsHeader are the headers with the name and the groups; default
	// X-Remote-User and X-Remote-Group. A header with groups may be repeated, or have commas.
	NameHeader, GroupsHeader string
	// NamePrefix and GroupsPrefix are put before names and groups.
	NamePrefix, GroupsPrefix string
}
