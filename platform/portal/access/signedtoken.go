package access

import (
	"encoding/json"

	"github.com/go-jose/go-jose/v4"
)

// algorithms are the signatures of tokens that anybody can verify with a public key.
var algorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

// signedToken is a token with a signature (JWT), whose claims are not verified yet.
type signedToken struct {
	signature *jose.JSONWebSignature
	issuer    string
	audience  audience
}

// audience are the programs that a token is for: a text, or a list of texts.
type audience []string

// UnmarshalJSON implements json.Unmarshaler.
func (a *audience) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		if one != "" { // null is a text too
			*a = audience{one}
		}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(a))
}

// parseToken returns a token with its claims; false for a token without a signature and an
// issuer.
func parseToken(token string) (signedToken, bool) {
	signature, err := jose.ParseSignedCompact(token, algorithms)
	if err != nil {
		return signedToken{}, false
	}
	var claims struct {
		Issuer   string   `json:"iss"`
		Audience audience `json:"aud"`
	}
	if json.Unmarshal(signature.UnsafePayloadWithoutVerification(), &claims) != nil || claims.Issuer == "" {
		return signedToken{}, false
	}
	return signedToken{signature: signature, issuer: claims.Issuer, audience: claims.Audience}, true
}

// signedBy reports whether a key has signed the token.
func (t signedToken) signedBy(key jose.JSONWebKey) bool {
	id := t.signature.Signatures[0].Header.KeyID
	if id != "" && key.KeyID != "" && id != key.KeyID {
		return false
	}
	_, err := t.signature.Verify(key)
	return err == nil
}
