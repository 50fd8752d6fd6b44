package client_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/client"
)

// logged is a job with a log.
var logged = api.JobRef{Cluster: "c", UID: "u"}

// portalOf returns a client of a portal that a handler simulates.
func portalOf(t *testing.T, h http.HandlerFunc) *client.Client {
	t.Helper()
	c, err := client.New("http://localhost", client.Options{HTTP: &http.Client{Transport: pipes{h}}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestFollowLogs: lines arrive until the end, a refusal or an error of the caller.
func TestFollowLogs(t *testing.T) {
	stream := "event: found\ndata: {\"logs\":3}\n\nevent: line\ndata: {\"text\":\"a\"}\n\n"
	full := errors.New("full")
	for _, c := range []struct {
		more string
		each error
		want string
	}{
		{"event: end\ndata: {\"nothing\":\"none\"}\n\n", nil, ""},
		{"event: problem\ndata: {\"title\":\"broken\",\"status\":404}\n\n", nil, "broken"},
		{"event: rights\ndata: {}\n\n", nil, "You may no longer read this log."},
		{"event: end\ndata: {}\n\n", full, "full"},
		{"", nil, "the portal at http://localhost does not answer: " + net.ErrClosed.Error()},
	} {
		cl := portalOf(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("follow") == "true" {
				_, _ = fmt.Fprint(w, stream, c.more)
			}
		})
		lines, found := 0, 0
		end, err := cl.FollowLogs(t.Context(), logged, url.Values{"present": {"true"}}, client.LogHandler{
			Found: func(f api.LogsFound) { found = f.Logs },
			Line:  func(api.LogLine) error { lines++; return c.each },
		})
		if text := fmt.Sprint(err); lines != 1 || found != 3 || c.want == "" && (err != nil || end.Nothing != "none") || c.want != "" && text != c.want {
			t.Errorf("%q: got %d lines, %d logs, %+v and error %v; want 1, 3 and %q", c.more, lines, found, end, err, c.want)
		}
	}
}

// TestFollowLogsRefused: if a portal refuses the first request, there is no retry.
func TestFollowLogsRefused(t *testing.T) {
	asked := 0
	cl := portalOf(t, func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.Header().Set("Content-Type", api.ProblemType)
		w.WriteHeader(http.StatusInternalServerError)
		_ = json.NewEncoder(w).Encode(api.Problem{Type: api.ProblemFault, Title: "broken"})
	})
	if _, err := cl.FollowLogs(t.Context(), logged, nil, client.LogHandler{Line: func(api.LogLine) error { return nil }}); err == nil || err.Error() != "broken" || asked != 1 {
		t.Errorf("asked %d times: got %v, want the error broken after one request", asked, err)
	}
}

// TestFollowLogsCut: a log over connections that are cut anywhere has each line once, in the
// order of its source, although the clocks of nodes differ.
func TestFollowLogsCut(t *testing.T) {
	random := testinput.Rand(t)
	for range testinput.Cases(t, 200) {
		synctest.Test(t, func(t *testing.T) { followCut(t, random) })
	}
}

func followCut(t *testing.T, random *rand.Rand) {
	began := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	var all []api.LogLine
	clocks := map[string]time.Time{}
	for range random.IntN(60) {
		pod := fmt.Sprint("pod-", random.IntN(3))
		if clocks[pod].IsZero() {
			clocks[pod] = began.Add(time.Duration(random.IntN(40)) * time.Second)
		}
		clocks[pod] = clocks[pod].Add(time.Duration(random.IntN(3)) * time.Second) // several lines may have one time
		all = append(all, api.LogLine{Time: clocks[pod], Pod: pod, Container: "main", Attempt: 1, Text: fmt.Sprint(pod, " ", len(all))})
	}
	sent, cuts := 0, 0 // the number of lines that the pods have written when a connection ends
	cl := portalOf(t, func(w http.ResponseWriter, r *http.Request) {
		since, _ := time.Parse(time.RFC3339Nano, r.URL.Query().Get("since"))
		_, _ = fmt.Fprint(w, "event: line\ndata: {\"note\":\"a note\"}\n\n")
		cut := random.IntN(3) > 0 && cuts < 20
		if cuts++; cut {
			sent += random.IntN(len(all) - sent + 1)
		} else {
			sent = len(all)
		}
		for _, l := range all[:sent] {
			if l.Time.Before(since) {
				continue
			}
			text, _ := json.Marshal(l)
			_, _ = fmt.Fprintf(w, "event: line\ndata: %s\n\n", text)
		}
		if !cut {
			_, _ = fmt.Fprint(w, "event: end\ndata: {}\n\n")
		}
	})
	got, want, notes, said := map[string][]string{}, map[string][]string{}, 0, 0
	_, err := cl.FollowLogs(t.Context(), logged, nil, client.LogHandler{Cut: func(error) { said++ }, Line: func(l api.LogLine) error {
		if l.Note != "" {
			notes++
			return nil
		}
		got[l.Pod] = append(got[l.Pod], l.Text)
		return nil
	}})
	for _, l := range all {
		want[l.Pod] = append(want[l.Pod], l.Text)
	}
	if err != nil || notes != 1 || said != cuts-1 {
		t.Errorf("%v, %d notes, %d of %d cuts", err, notes, said, cuts-1)
	}
	for pod := range want {
		if !slices.Equal(got[pod], want[pod]) {
			t.Errorf("%s has\n%q\nwant\n%q", pod, got[pod], want[pod])
		}
	}
}
