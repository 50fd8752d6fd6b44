package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/platform/portal/api"
)

// logins runs commands against portals and identity providers that answer with hostile text or
// with content outside this API.
func (h *hostile) logins(t *testing.T) {
	home(t)
	var answer func(w http.ResponseWriter, r *http.Request)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answer(w, r) }))
	defer server.Close()
	write := func(w http.ResponseWriter, status int, media string, v any) {
		w.Header().Set("Content-Type", media)
		w.WriteHeader(status)
		if err := json.NewEncoder(w).Encode(v); err != nil {
			t.Error(err)
		}
	}
	answers := map[string]func(w http.ResponseWriter, r *http.Request){
		"a problem": func(w http.ResponseWriter, _ *http.Request) {
			write(w, http.StatusForbidden, api.ProblemType, api.Problem{Type: api.ProblemDenied, Title: evil, Detail: evil, Instance: evil, Role: evil, Fields: []api.FieldProblem{{Field: evil, Message: evil}}})
		},
		"no JSON": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(evil)) },
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/"+strings.Repeat("a", 5000), http.StatusFound)
		},
		"a provider of others": func(w http.ResponseWriter, _ *http.Request) {
			write(w, http.StatusOK, "application/json", api.SignInMethods{Demanded: true, OIDC: &api.SignInOIDCMethod{Issuer: "http://example.com/" + evil, ClientID: evil}})
		},
		"a provider that writes": func(w http.ResponseWriter, r *http.Request) {
			switch base := "http://" + r.Host; r.URL.Path {
			case api.PathSignInMethods:
				write(w, http.StatusOK, "application/json", api.SignInMethods{Demanded: true, OIDC: &api.SignInOIDCMethod{Issuer: base, ClientID: "cli", Scopes: []string{"openid"}}})
			case "/.well-known/openid-configuration":
				write(w, http.StatusOK, "application/json", map[string]any{"issuer": base, "token_endpoint": base + "/token", "device_authorization_endpoint": base + "/device", "jwks_uri": base + "/keys"})
			case "/device":
				write(w, http.StatusOK, "application/json", map[string]any{"device_code": "d", "user_code": evil, "verification_uri": evil, "verification_uri_complete": evil, "interval": 1, "expires_in": 60})
			default:
				write(w, http.StatusBadRequest, "application/json", map[string]any{"error": evil, "error_description": evil})
			}
		},
		"records of others": func(w http.ResponseWriter, r *http.Request) {
			record := api.Record{ID: 1, Cluster: evil, ClusterUID: evil, Type: api.RecordType{Resource: "pods", Kind: evil}, Namespace: evil, Name: evil, UID: evil, Version: evil, State: evil, Presence: evil, Message: evil}
			switch r.URL.Path {
			case api.Prefix + api.PathRecordTypes:
				write(w, http.StatusOK, "application/json", api.RecordTypes{Types: []api.RecordType{record.Type}})
			case api.Prefix + api.PathRecords:
				write(w, http.StatusOK, "application/json", api.RecordList{Records: []api.Record{record}})
			case api.Prefix + api.PathRecordChanges:
				write(w, http.StatusOK, "application/json", api.RecordChangeList{Changes: []api.RecordChange{{Record: record, Transition: api.Transition{To: evil, Reason: evil, Message: evil, Source: evil, Version: evil}}}})
			case api.Prefix + api.PathRecordJobs:
				write(w, http.StatusOK, "application/json", api.RecordJobList{Jobs: []api.RecordJob{{Type: evil, Namespace: evil, Name: evil, State: evil, Reason: evil, Message: evil, Queue: evil, Submitter: evil, Presence: evil, Life: []api.Span{{State: evil}}}}})
			default:
				write(w, http.StatusOK, "application/json", map[string]any{"person": evil, "version": evil, "json": "{" + evil})
			}
		},
	}
	for name, f := range answers {
		answer = f
		for _, line := range []string{"login", "login --with kubeconfig", "jobs -A", "history -A", "history pods/a -n ml", "show pods/a -n ml", "diff pods/a -n ml", "stats -A", "gaps", "ack pods/a -n ml", "jobs -A --mine", "cancel pods/a -n ml", "retry pods/a -n ml", "submit --image a -n ml --name a", "submit --image a -n ml --name a --dry-run", "logs a -n ml", "logs pods/a -n ml -f", "template ls", "template show job", "subscribe pods/a --to mail", "subscribe ls", "subscribe mute 1", "subscribe verify 1 2"} {
			_, errs, _ := h.run(append(strings.Fields(line), "--server", server.URL)...)
			if strings.Contains(errs, "panic") {
				t.Errorf("%s: %s: said %s; want no crash", name, line, errs)
			}
		}
	}
	for _, args := range [][]string{
		{"login", "--server", "https://" + evil},
		{"login", "--server", server.URL, "--with", evil},
		{"login", "--server", server.URL, "--server-ca", evil},
		{"login"},
		{"logout", "--server", "https://" + evil},
		{"logout", "--server", server.URL + "/none"},
		{"logout"},
	} {
		if _, errs, code := h.run(args...); code != 1 && args[0] == "login" || strings.Contains(errs, "panic") {
			t.Errorf("%q: exit code %d, said %s; want 1 for a login, and no crash", args, code, errs)
		}
	}
}
