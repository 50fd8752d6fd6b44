package client

import (
	"context"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"

	"github.com/vedette-io/vedette/platform/portal/api"
)

// LocalProof asks a portal without sign-in to prove that it knows the local token, and returns the
// address that answered. It sends no token.
//
// Errors: *api.Problem, with the status 404 if the portal takes no local token; the portal does not
// answer.
func (c *Client) LocalProof(ctx context.Context, nonce string) (proof string, at net.Addr, err error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { at = i.Conn.RemoteAddr() }})
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base.String()+api.PathLocalProof+"?"+url.Values{"nonce": {nonce}}.Encode(), nil)
	if err != nil {
		return "", nil, err
	}
	r.Header.Set("User-Agent", c.o.Agent)
	r.Header.Set("Accept", "application/json")
	var out api.LocalProof
	err = c.do(r, &out)
	return out.Proof, at, err
}
