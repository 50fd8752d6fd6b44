package tokenstore

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/kube"
)

// Early is how long before its end a token is renewed.
const Early = time.Minute

// Token returns the token of a key, and renews it if it ends soon. While it has not ended, it
// is returned although it cannot be renewed.
//
// Errors: it has ended, and cannot be renewed. No error has a secret.
func Token(ctx context.Context, server string, k Credential, all *Store, client *http.Client) (string, error) {
	again := fmt.Sprintf("run `vedette login --server %s`", server)
	switch {
	case k.Kind == Kubeconfig:
		token, err := kube.BearerToken(ctx, kube.Config{Kubeconfig: k.Kubeconfig, Context: k.Context})
		if errors.Is(err, kube.ErrNoToken) {
			return "", fmt.Errorf("%w: %s in another way", err, again)
		}
		return token, err
	case k.Expires.IsZero() || time.Until(k.Expires) > Early:
		return k.Token, nil
	case k.Kind != Provider || k.Refresh == "":
		if time.Until(k.Expires) > 0 {
			return k.Token, nil
		}
		return "", fmt.Errorf("the token expired at %s: %s", units.Local(k.Expires), again)
	}
	renewed, err := renew(ctx, k, client)
	if err != nil {
		if now, failed := Open(); failed == nil { // another command may have renewed it
			if other, ok := now.Get(server); ok && time.Until(other.Expires) > Early {
				return other.Token, nil
			}
		}
		if time.Until(k.Expires) > 0 {
			return k.Token, nil
		}
		return "", fmt.Errorf("the token has expired, and %s does not renew it (%s): %s", k.Issuer, Refusal(err), again)
	}
	return renewed.Token, all.Put(server, &renewed)
}

// renew asks the provider for another token.
func renew(ctx context.Context, k Credential, client *http.Client) (Credential, error) {
	ctx = context.WithValue(ctx, oauth2.HTTPClient, client)
	c := oauth2.Config{ClientID: k.Client, Scopes: k.Scopes, Endpoint: oauth2.Endpoint{TokenURL: k.TokenURL, AuthStyle: oauth2.AuthStyleInParams}}
	t, err := c.TokenSource(ctx, &oauth2.Token{RefreshToken: k.Refresh}).Token()
	if err != nil {
		return k, err
	}
	return k.WithTokens(t)
}

// WithTokens returns the key with the tokens of an answer of the provider.
func (k Credential) WithTokens(t *oauth2.Token) (Credential, error) {
	id, _ := t.Extra("id_token").(string)
	if id == "" {
		return k, errors.New("the identity provider sent no ID token")
	}
	k.Token, k.Expires = id, Expiry(id)
	if t.RefreshToken != "" {
		k.Refresh = t.RefreshToken
	}
	return k, nil
}

// Expiry returns when a token ends, if it says so. The portal checks the token.
func Expiry(token string) time.Time {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return time.Time{}
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	var claims struct {
		Exp float64 `json:"exp"`
	}
	if err != nil || json.Unmarshal(text, &claims) != nil || claims.Exp <= 0 || claims.Exp > 1e11 {
		return time.Time{}
	}
	return time.Unix(int64(claims.Exp), 0)
}

// Refusal returns what a provider answered, without the body, which may have secrets.
func Refusal(err error) string {
	var refused *oauth2.RetrieveError
	switch {
	case errors.As(err, &refused) && refused.ErrorCode != "":
		return refused.ErrorCode
	case errors.As(err, &refused) && refused.Response != nil:
		return refused.Response.Status
	}
	return printable.OneLine(err.Error())
}
