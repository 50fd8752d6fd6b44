package identity

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/vedette-io/vedette/platform/portal/api"
)

// minLocal is the minimum size of a local token, in bytes.
const minLocal = 20

// local is the one secret of a portal without sign-in. The user who runs the portal has it, and
// other users of the machine do not.
type local struct {
	token  string
	secure bool
}

// LocalURL returns the address that opens a portal without sign-in in a browser. base is the
// address of the portal, such as "http://127.0.0.1:8080".
func LocalURL(base, token string) string {
	return strings.TrimRight(base, "/") + api.PathLocal + "?" + url.Values{"token": {token}}.Encode()
}

// LocalProof returns what proves that a portal at an address knows the local token. A client sends
// the token only after it has seen the proof, because any user of the machine can listen at an
// address whose portal has ended. The address is the one that the client has connected to: with
// another one, a stranger could pass the nonce on to the portal.
func LocalProof(token, nonce string, address net.Addr) string {
	at := address.String()
	if ip, err := netip.ParseAddrPort(at); err == nil {
		at = netip.AddrPortFrom(ip.Addr().Unmap().WithZone(""), ip.Port()).String()
	}
	return derived(token, "proof", at, nonce)
}

// derived returns a text that only the token yields, and that does not reveal it.
func derived(token string, parts ...string) string {
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte("vedette\n" + strings.Join(parts, "\n")))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// cookie returns the cookie of browsers. Its name has the port, because browsers send the cookies of
// a host to all of its ports. It needs no state, so it stays valid when the portal restarts.
func (l *local) cookie(r *http.Request) *http.Cookie {
	_, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		port = "default"
	}
	// With SameSite=Strict, the redirect after a link of another program would lack the cookie.
	return &http.Cookie{Name: "vedette-local-" + cookieName(port), Value: derived(l.token, "cookie", port), Path: "/", HttpOnly: true, Secure: l.secure, SameSite: http.SameSiteLaxMode}
}

// cookieName returns a port without characters that a name of a cookie may not have.
func cookieName(port string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, port)
}

// is compares a text with the token in constant time.
func (l *local) is(text string) bool {
	return hmac.Equal([]byte(derived(l.token, "same", text)), []byte(derived(l.token, "same", l.token)))
}

// entered reports whether a request has the token, and whether as a bearer token or in the cookie.
func (l *local) entered(r *http.Request) (bearer, ok bool) {
	if header := r.Header.Get("Authorization"); header != "" {
		scheme, token, _ := strings.Cut(header, " ")
		return true, strings.EqualFold(scheme, "Bearer") && l.is(strings.TrimSpace(token))
	}
	want := l.cookie(r)
	c, err := r.Cookie(want.Name)
	return false, err == nil && hmac.Equal([]byte(c.Value), []byte(want.Value))
}
