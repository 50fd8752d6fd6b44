package identity

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/vedette-io/vedette/platform/portal/api"
)

// Refusals of the package. They reveal nothing about a secret except that it is wrong.
var (
	errSignIn = &api.Problem{
		Type: api.ProblemSignIn, Title: "Sign in", Status: http.StatusUnauthorized,
		Detail: "This portal requires sign-in. Open /auth/ in a browser, or run `vedette login`.",
	}
	errLocal = &api.Problem{
		Type: api.ProblemSignIn, Title: "The local token is missing", Status: http.StatusUnauthorized,
		Detail: "Only the user who runs this portal has its token: `vedette portal url` prints the address for the browser, and programs send the token of the file vedette/local-token in the user's configuration folder as a bearer token. --insecure-loopback opens the portal to all users of its machine.",
	}
	errNonce = &api.Problem{
		Type: api.ProblemInvalid, Title: "No proof without a nonce", Status: http.StatusBadRequest,
		Detail: "Send a nonce of at most 128 bytes.",
	}
	errToken = &api.Problem{
		Type: api.ProblemSignIn, Title: "The token is not accepted", Status: http.StatusUnauthorized,
		Detail: "The token is unknown, expired or revoked. Get a new one, and sign in again.",
	}
	errSession = &api.Problem{
		Type: api.ProblemSignIn, Title: "The session has ended", Status: http.StatusUnauthorized,
		Detail: "The session has expired or was ended. Sign in again.",
	}
	errForgery = &api.Problem{
		Type: api.ProblemForgery, Title: "The request did not come from the portal", Status: http.StatusForbidden,
		Detail: "Writes need the header " + HeaderCSRF + " with the token of this session. Reload the page.",
	}
	errCrossSite = &api.Problem{
		Type: api.ProblemForgery, Title: "Another site sent the request", Status: http.StatusForbidden,
		Detail: "The portal answers requests of its own pages only. Open the portal itself.",
	}
	errHost = &api.Problem{
		Type: api.ProblemForgery, Title: "The portal does not have this name", Status: http.StatusForbidden,
		Detail: "Without sign-in, the portal answers on the loopback address only, and to no proxy. Open it at localhost, or allow the name with --portal-hosts.",
	}
	errProxyNames = &api.Problem{
		Type: api.ProblemSignIn, Title: "The proxy names nobody", Status: http.StatusUnauthorized,
		Detail: "The proxy sent several names, or an unusable name. Ask its administrator to make it replace the header.",
	}
	errProvider = &api.Problem{
		Type: api.ProblemUnavailable, Title: "The identity provider does not answer", Status: http.StatusServiceUnavailable,
		Detail: "Nobody can sign in with the identity provider now. Try again, or use a token.", RetryAfter: 10,
	}
	errReview = &api.Problem{
		Type: api.ProblemCluster, Title: "No cluster answers", Status: http.StatusBadGateway,
		Detail: "The token cannot be checked, because no API server answers. Try again.", RetryAfter: 10,
	}
)

// tooMany is the refusal after too many failed attempts.
func tooMany(seconds int) *api.Problem {
	return &api.Problem{
		Type: api.ProblemTooMany, Title: "Too many attempts", Status: http.StatusTooManyRequests,
		Detail: "Too many sign-ins from this address have failed. Try again later.", RetryAfter: seconds,
	}
}

// refuse writes a problem document.
func refuse(w http.ResponseWriter, p *api.Problem) {
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if p.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="vedette"`)
	}
	if p.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(p.RetryAfter))
	}
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // the client may be gone
}
