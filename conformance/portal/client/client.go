package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/vedette-io/vedette/internal/localtoken"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/portal/api"
)

// Ready waits until the portal at an address has read the history.
func Ready(t *testing.T, base string) {
	t.Helper()
	patience.Until(t, "the portal answers", func() string {
		_, err := Read[api.Session](t, base+"/api/v1/session")
		if err == nil {
			_, err = Read[api.JobList](t, base+"/api/v1/jobs?limit=1")
		}
		if err != nil {
			return err.Error()
		}
		return ""
	})
}

// Authorize adds the local token of the user to a request, as the command line does.
func Authorize(r *http.Request) error {
	token, err := localtoken.Read()
	r.Header.Set("Authorization", "Bearer "+token)
	return err
}

// Read requests an answer of the API.
func Read[T any](t *testing.T, url string) (v T, err error) {
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		return v, err
	}
	if err := Authorize(r); err != nil {
		return v, err
	}
	r.Close = true
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return v, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return v, fmt.Errorf("%s: %s", url, resp.Status)
	}
	return v, json.NewDecoder(resp.Body).Decode(&v)
}
