package httpserver

import (
	"crypto/subtle"
	"net"
	"net/http"
	"net/http/pprof"
	"strings"

	"github.com/vedette-io/vedette/platform/portal/identity"
)

// profileNonce distinguishes the proof for profiles from those of portals.
const profileNonce = "profiles"

// ProfileProof returns the bearer token that opens the profiles of a server at an address. Only the
// local token yields it, and it does not reveal the local token: another program that listens at the
// address in place of the server learns nothing that opens a portal.
func ProfileProof(token string, at net.Addr) string {
	return identity.LocalProof(token, profileNonce, at)
}

// profiles serves the profiles of the process below /debug/pprof/ to its user. They show code and
// memory of the process, so a listener that other machines reach has none.
func profiles(token string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
		given, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if at == nil || subtle.ConstantTimeCompare([]byte(given), []byte(ProfileProof(token, at))) != 1 {
			http.Error(w, "profiles are for the user who runs this process: use `vedette debug bundle`", http.StatusUnauthorized)
			return
		}
		mux.ServeHTTP(w, r)
	})
}
