package source

import (
	"context"
	"fmt"
	"net/http"

	"github.com/vedette-io/vedette/platform/portal/client"
	"github.com/vedette-io/vedette/platform/portal/identity"
)

// LocalURL returns the address that opens the user's portal without sign-in in a browser.
//
// Errors: the user has no local token; the portal does not answer, or takes another token.
func (s *ServerFlags) LocalURL(ctx context.Context) (string, error) {
	transport, err := Transport(s.CA)
	if err != nil {
		return "", err
	}
	l, err := newLocal(s.URL, transport)
	if err != nil {
		return "", err
	}
	c, err := client.New(s.URL, client.Options{HTTP: &http.Client{Transport: transport}, Agent: s.agent()})
	if err != nil {
		return "", fmt.Errorf("--server: %w", err)
	}
	token := ""
	if l != nil {
		l.portal = c
		if token, err = l.Token(ctx); err != nil {
			return "", err
		}
	}
	if token != "" {
		return identity.LocalURL(c.Address(), token), nil
	}
	m, err := c.SignInMethods(ctx)
	switch {
	case err != nil:
		return "", err
	case m.Local:
		return "", fmt.Errorf("there is no local token for %s: run the command as the user who runs the portal, on the same machine", c.Address())
	}
	return c.Address(), nil // it takes no local token
}
