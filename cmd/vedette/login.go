package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/spf13/cobra"
	"golang.org/x/oauth2"
	"golang.org/x/term"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/cmd/vedette/internal/source"
	"github.com/vedette-io/vedette/cmd/vedette/internal/tokenstore"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/internal/readlimit"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/client"
)

// loginOptions are the flags of login.
type loginOptions struct {
	server  source.ServerFlags
	connect kube.Config
	with    string
	cluster string
	issuer  string
}

func newLogin() *cobra.Command {
	var o loginOptions
	cmd := &cobra.Command{
		Use:   "login --server URL",
		Short: "Log in to a portal, so that commands need neither a database nor a cluster",
		Long: "The token comes from the portal's identity provider: open the printed address in a browser on any machine, and\n" +
			"enter the code. The command names the provider; a later login refuses another one without --issuer.\n" +
			"With --with kubeconfig it is the token that the kubeconfig sends to its cluster, also of a plugin;\n" +
			"it is read each time and not stored. With --with token it is read from standard input.\n\n" +
			"Give the token of a kubeconfig to portals that you trust only. A portal of several clusters sends a token to the\n" +
			"cluster that issued it. If it cannot tell which cluster did, it refuses the token: name the cluster with --cluster.\n" +
			"The login is stored in the folder of your settings, readable by you alone. A token of a provider is renewed as long\n" +
			"as the provider allows it.",
		Example: "  vedette login --server https://vedette.example.com\n" +
			"  vedette jobs --server https://vedette.example.com\n\n" +
			"  # With the token of the kubeconfig; with a token of the portal's file\n" +
			"  vedette login --server https://vedette.example.com --with kubeconfig\n" +
			"  vedette login --server https://vedette.example.com --with token < token.txt\n\n" +
			"  # With a token of a cluster that only this portal accepts\n" +
			"  kubectl create token ci --audience https://vedette.example.com | vedette login --server https://vedette.example.com --with token\n\n" +
			"  # With the token of a kubeconfig for the cluster that the portal calls prod\n" +
			"  vedette login --server https://vedette.example.com --with kubeconfig --cluster prod",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.InOrStdin(), console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never"))
		},
	}
	settings.AddConfig(cmd)
	o.server.AddFlags(cmd)
	addConnection(cmd, &o.connect)
	cmd.Flags().StringVar(&o.with, "with", "", "where the token comes from: provider, kubeconfig or token (default: provider)")
	cmd.Flags().StringVar(&o.cluster, "cluster", "", "the portal's name of the cluster that issued the token (default: the portal finds out, or refuses the token)")
	cmd.Flags().StringVar(&o.issuer, "issuer", "", "the identity provider that the portal must name (default: that of the login before; at first, any one)")
	return cmd
}

func (o *loginOptions) run(ctx context.Context, in io.Reader, con *console.Console) error {
	if o.server.URL == "" {
		return errNoServer
	}
	transport, err := source.Transport(o.server.CA)
	if err != nil {
		return err
	}
	web := &http.Client{Transport: transport}
	bare, err := client.New(o.server.URL, client.Options{HTTP: web})
	if err == nil { // before it reads a secret or requests a code
		_, err = client.New(o.server.URL, client.Options{Token: func(context.Context) (string, error) { return "", nil }})
	}
	if err != nil {
		return fmt.Errorf("--server: %w", err)
	}
	methods, err := bare.SignInMethods(ctx)
	if err != nil {
		return err
	}
	all, err := tokenstore.Open()
	if err != nil {
		return err
	}
	before, _ := all.Get(bare.Address())
	k, err := o.key(ctx, methods, &before, bare.Address(), web, in, con)
	if err != nil {
		return err
	}
	signed, err := client.New(o.server.URL, client.Options{HTTP: web, Cluster: k.Cluster, Token: func(ctx context.Context) (string, error) {
		return tokenstore.Token(ctx, bare.Address(), k, all, web)
	}})
	if err != nil {
		return fmt.Errorf("--server: %w", err)
	}
	session, err := loaded(ctx, signed.Session)
	if err != nil {
		return fmt.Errorf("the portal does not accept the token: %w", err)
	}
	if err := all.Put(bare.Address(), &k); err != nil {
		return err
	}
	con.Say("%s knows you as %s%s%s; the login is in %s", bare.Address(), session.Person, inCluster(session.Cluster), until(k.Expires), all.Path)
	return nil
}

// inCluster describes the cluster in which alone the portal knows a person.
func inCluster(name string) string {
	if name == "" {
		return ""
	}
	return " in the cluster " + name
}

// loaded repeats a request while the portal loads, which takes some seconds after its start.
func loaded[T any](ctx context.Context, ask func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		answer, err := ask(ctx)
		var p *api.Problem
		if err == nil || !errors.As(err, &p) || p.Type != api.ProblemLoading {
			return answer, err
		}
		again := time.NewTimer(time.Duration(max(1, min(p.RetryAfter, 5))) * time.Second)
		select {
		case <-again.C:
		case <-ctx.Done():
			again.Stop()
			return answer, err
		}
	}
}

// until describes the expiry of a token.
func until(end time.Time) string {
	if end.IsZero() {
		return ""
	}
	return " until " + units.Local(end)
}

var errNoServer = errors.New("no portal is named: use --server https://…, VEDETTE_SERVER, or server in the file of --config")

// key gets a key by the method of the flags. before is the key of the login before, or empty.
func (o *loginOptions) key(ctx context.Context, methods *api.SignInMethods, before *tokenstore.Credential, server string, web *http.Client, in io.Reader, con *console.Console) (tokenstore.Credential, error) {
	if o.issuer != "" && o.with != "" && o.with != "provider" {
		return tokenstore.Credential{}, errors.New("--issuer names an identity provider: use it without --with")
	}
	switch o.with {
	case "kubeconfig":
		if !methods.Kubernetes {
			return tokenstore.Credential{}, fmt.Errorf("the portal at %s does not accept tokens of its clusters; %s", server, ways(methods))
		}
		return tokenstore.Credential{Kind: tokenstore.Kubeconfig, Kubeconfig: o.connect.Kubeconfig, Context: o.connect.Context, Cluster: o.cluster}, nil
	case "token":
		k, err := pasted(in, con)
		k.Cluster = o.cluster
		return k, err
	case "provider", "":
		if o.cluster != "" {
			return tokenstore.Credential{}, errors.New("--cluster names the cluster of a token: use it with --with kubeconfig or --with token")
		}
	default:
		return tokenstore.Credential{}, fmt.Errorf("--with is %q; use provider, kubeconfig or token", o.with)
	}
	switch {
	case methods.OIDC != nil:
		if err := o.expects(methods.OIDC.Issuer, before.Issuer, server); err != nil {
			return tokenstore.Credential{}, err
		}
		con.Say("the portal at %s signs you in with the identity provider %s", server, methods.OIDC.Issuer)
		return device(ctx, methods.OIDC, web, con)
	case methods.Local:
		return tokenstore.Credential{}, fmt.Errorf("the portal at %s is open to the user who runs it: on that machine, other commands find its token; elsewhere use --with token", server)
	case !methods.Demanded && !methods.Token && !methods.Kubernetes:
		return tokenstore.Credential{}, fmt.Errorf("the portal at %s has no sign-in: use the other commands with --server", server)
	}
	return tokenstore.Credential{}, fmt.Errorf("the portal at %s has no identity provider; %s", server, ways(methods))
}

// expects checks the provider that a portal names against the one of the flag, or of the login
// before: a portal that was taken over must not lead people to another provider.
func (o *loginOptions) expects(named, before, server string) error {
	switch want := cmp.Or(o.issuer, before); {
	case want == "" || named == want:
		return nil
	case o.issuer != "":
		return fmt.Errorf("the portal at %s names the identity provider %s, not that of --issuer: ask its administrator", server, named)
	default:
		return fmt.Errorf("the portal at %s names the identity provider %s, and before it named %s: ask its administrator, then use --issuer with the right one", server, named, want)
	}
}

// ways lists the other methods to sign in.
func ways(methods *api.SignInMethods) string {
	var all []string
	if methods.OIDC != nil {
		all = append(all, "--with provider")
	}
	if methods.Kubernetes {
		all = append(all, "--with kubeconfig")
	}
	if methods.Token {
		all = append(all, "--with token")
	}
	if all == nil {
		return "it accepts browser sign-in only"
	}
	return "use " + strings.Join(all, " or ")
}

// maxToken is the maximum size of a token, in bytes.
const maxToken = 64 << 10

// pasted reads a token from the first line.
func pasted(in io.Reader, con *console.Console) (tokenstore.Credential, error) {
	text, err := secretLine(in, con)
	if err != nil {
		return tokenstore.Credential{}, fmt.Errorf("the token cannot be read: %w", err)
	}
	token := strings.TrimSpace(text)
	if token == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return tokenstore.Credential{}, errors.New("standard input has no token: it is one line of printable ASCII without spaces")
	}
	return tokenstore.Credential{Kind: tokenstore.Pasted, Token: token, Expires: tokenstore.Expiry(token)}, nil
}

// secretLine reads a line. A terminal does not show it.
func secretLine(in io.Reader, con *console.Console) (string, error) {
	if f, ok := in.(*os.File); ok && console.IsTerminal(in) {
		con.Ask("paste the token, which is not shown, and press Enter: ")
		text, err := term.ReadPassword(int(f.Fd()))
		con.Say("")
		return string(text), err
	}
	scanner := bufio.NewScanner(io.LimitReader(in, maxToken))
	scanner.Buffer(nil, maxToken)
	scanner.Scan()
	return scanner.Text(), scanner.Err()
}

// maxProviderAnswer bounds an answer of an identity provider, in bytes.
const maxProviderAnswer = 1 << 20

// device gets a key from a provider by the device flow (RFC 8628).
func device(ctx context.Context, m *api.SignInOIDCMethod, web *http.Client, con *console.Console) (tokenstore.Credential, error) {
	if !source.Secure(m.Issuer) {
		return tokenstore.Credential{}, fmt.Errorf("the identity provider %s has no TLS", m.Issuer)
	}
	ctx = oidc.ClientContext(ctx, &http.Client{Transport: &readlimit.Transport{RoundTripper: web.Transport, Limit: maxProviderAnswer}})
	provider, err := oidc.NewProvider(ctx, m.Issuer)
	if err != nil {
		return tokenstore.Credential{}, fmt.Errorf("the identity provider %s: %s", m.Issuer, tokenstore.Refusal(err))
	}
	k := tokenstore.Credential{Kind: tokenstore.Provider, Issuer: m.Issuer, Client: m.ClientID, TokenURL: provider.Endpoint().TokenURL, Scopes: m.Scopes}
	if len(m.Audiences) > 0 {
		k.Client = m.Audiences[0]
	}
	config := oauth2.Config{ClientID: k.Client, Scopes: k.Scopes, Endpoint: provider.Endpoint()}
	config.Endpoint.AuthStyle = oauth2.AuthStyleInParams
	if config.Endpoint.DeviceAuthURL == "" {
		return tokenstore.Credential{}, fmt.Errorf("the identity provider %s has no device flow: ask its administrator, or use --with token", m.Issuer)
	}
	for _, at := range []string{config.Endpoint.DeviceAuthURL, config.Endpoint.TokenURL} {
		if !source.Secure(at) {
			return tokenstore.Credential{}, fmt.Errorf("the identity provider %s names the address %s, which has no TLS", m.Issuer, at)
		}
	}
	code, err := config.DeviceAuth(ctx)
	if err != nil {
		return tokenstore.Credential{}, fmt.Errorf("the identity provider %s sent no code: %s", m.Issuer, tokenstore.Refusal(err))
	}
	con.Say("open %s and enter the code %s", code.VerificationURI, code.UserCode)
	if code.VerificationURIComplete != "" {
		con.Say("or open %s", code.VerificationURIComplete)
	}
	t, err := config.DeviceAccessToken(ctx, code)
	if err != nil {
		if ctx.Err() != nil {
			return tokenstore.Credential{}, context.Cause(ctx)
		}
		return tokenstore.Credential{}, fmt.Errorf("the identity provider %s sent no token: %s", m.Issuer, tokenstore.Refusal(err))
	}
	return k.WithTokens(t)
}
