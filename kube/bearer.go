package kube

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"k8s.io/client-go/transport"
)

// ErrNoToken is returned for a kubeconfig whose user has a client certificate or a
// password instead of a token.
var ErrNoToken = errors.New("the user of the kubeconfig has no token")

// BearerToken returns the token that a kubeconfig sends to its API server. The token is
// in the kubeconfig, or comes from a credential plugin, which BearerToken runs. It sends
// no request. The token is a secret.
//
// Errors: those of Connect about the kubeconfig; an error of the plugin; ErrNoToken.
func BearerToken(ctx context.Context, c Config) (string, error) {
	rc, _, err := c.load()
	if err != nil {
		return "", err
	}
	of, err := rc.TransportConfig()
	if err != nil {
		return "", fmt.Errorf("read the kubeconfig: %w", err)
	}
	seen := &captureTransport{}
	sender, err := transport.HTTPWrappersForConfig(of, seen)
	if err != nil {
		return "", fmt.Errorf("read the kubeconfig: %w", err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://localhost/", nil)
	if err != nil {
		return "", err
	}
	answer, err := sender.RoundTrip(r)
	if err != nil {
		return "", fmt.Errorf("get the token of the kubeconfig: %w", err)
	}
	_ = answer.Body.Close() // it is empty
	token, ok := strings.CutPrefix(seen.authorization, "Bearer ")
	if !ok || token == "" {
		return "", ErrNoToken
	}
	return token, nil
}

// captureTransport is a transport that sends nothing and keeps the Authorization header.
type captureTransport struct{ authorization string }

// RoundTrip answers with an empty body.
func (h *captureTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	h.authorization = r.Header.Get("Authorization")
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: r}, nil
}
