package access

import (
	"context"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/go-jose/go-jose/v4"

	"github.com/vedette-io/vedette/kube"
)

// Paths and limits of the keys that a cluster publishes (OpenID Connect discovery of service
// account tokens).
const (
	pathDiscovery = "/.well-known/openid-configuration"
	pathKeys      = "/openid/v1/jwks"
	maxPublished  = 256 << 10 // bytes of an answer
	maxKeys       = 100
	maxKeyBits    = 8192 // of RSA; larger keys are expensive to use
)

// published is the issuer of the service account tokens of a cluster, with its keys.
type published struct {
	issuer string
	keys   []jose.JSONWebKey
}

// publishedBy reads the issuer and the keys of a cluster. It always asks the API server itself,
// because a cluster may name any address for its keys.
//
// Errors: the API server does not publish them, or not to the portal.
func publishedBy(ctx context.Context, c *kube.Cluster) (published, error) {
	var of struct {
		Issuer string `json:"issuer"`
	}
	if err := readJSON(ctx, c, pathDiscovery, &of); err != nil {
		return published{}, err
	}
	if of.Issuer == "" {
		return published{}, errors.New("the API server names no issuer of its tokens")
	}
	var set jose.JSONWebKeySet
	if err := readJSON(ctx, c, pathKeys, &set); err != nil {
		return published{}, err
	}
	if len(set.Keys) > maxKeys {
		return published{}, fmt.Errorf("the API server publishes more than %d keys", maxKeys)
	}
	found := published{issuer: of.Issuer}
	for _, key := range set.Keys {
		if large, ok := key.Key.(*rsa.PublicKey); ok && large.N.BitLen() > maxKeyBits || !key.IsPublic() {
			continue
		}
		found.keys = append(found.keys, key)
	}
	return found, nil
}

// readJSON reads a document of an API server.
func readJSON(ctx context.Context, c *kube.Cluster, path string, into any) error {
	answer, err := c.Do(ctx, kube.Request{Path: path})
	if err != nil {
		return err
	}
	defer answer.Close()
	text, err := io.ReadAll(io.LimitReader(answer, maxPublished))
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}
