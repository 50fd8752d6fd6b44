package client_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"

	"github.com/vedette-io/vedette/platform/portal/client"
)

// Read the jobs of a person. The server of this example has none.
func Example() {
	portal := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"jobs":[]}`)
	}))
	defer portal.Close()
	c, err := client.New(portal.URL, client.Options{}) // Options.Token is needed for other addresses than the loopback
	if err != nil {
		fmt.Println(err)
		return
	}
	list, err := c.Jobs(context.Background(), url.Values{"filter": {"submitter:ann state:Failed"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(list.Jobs), "jobs")
	// Output: 0 jobs
}
