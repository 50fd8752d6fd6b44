package recordtest

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// lens changes what an API server shows of its objects without a new version of any, as a new
// default in a schema or another version of the server does.
type lens struct {
	http.RoundTripper
	shows *atomic.Pointer[strings.Replacer]
}

// RoundTrip implements http.RoundTripper.
func (l lens) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := l.RoundTripper.RoundTrip(r)
	if err == nil {
		resp.Body = &shownBody{Closer: resp.Body, in: bufio.NewReader(resp.Body), shows: l.shows}
	}
	return resp, err
}

// WrappedRoundTripper tells client-go which transport has the connection.
func (l lens) WrappedRoundTripper() http.RoundTripper { return l.RoundTripper }

// shownBody changes a body line by line. A frame of a watch is a line.
type shownBody struct {
	io.Closer
	in    *bufio.Reader
	shows *atomic.Pointer[strings.Replacer]
	line  bytes.Buffer
	err   error
}

func (b *shownBody) Read(p []byte) (int, error) {
	if b.line.Len() == 0 && b.err == nil {
		var text []byte
		text, b.err = b.in.ReadBytes('\n')
		b.line.WriteString(b.shows.Load().Replace(string(text)))
	}
	if b.line.Len() == 0 {
		return 0, b.err
	}
	return b.line.Read(p)
}

// TestReshown: the server shows other content at the versions that are stored, and two
// recorders list it, before or after each other, or after a restart. The history has the
// content before and after, once, and a transition only where the state differs.
func TestReshown(t *testing.T) {
	for _, kind := range dbtest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			recordReshown(t, newDatabase(t, func(t *testing.T) *sqldb.DB {
				db, err := sqldb.Open(t.Context(), dbtest.Empty(t, kind))
				if err != nil {
					t.Fatal(err)
				}
				return db
			}))
		})
	}
}

// shown is a cluster whose server shows its objects to two recorders through lenses.
type shown struct {
	*cluster
	shows [2]atomic.Pointer[strings.Replacer]
	stops [2]func()
}

var shownTo = []string{"one", "two"}

func (c *shown) start(i int) {
	config := c.srv.RESTConfig()
	config.WrapTransport = func(next http.RoundTripper) http.RoundTripper { return lens{next, &c.shows[i]} }
	conn, err := kube.Connect(kube.Config{REST: config})
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(conn.Close)
	c.conn = conn
	c.stops[i] = c.record(shownTo[i])
	c.covered(shownTo[i])
}

// show makes the server of a recorder show something, and end its watches, so that it is
// listed again.
func (c *shown) show(i int, texts ...string) {
	c.shows[i].Store(strings.NewReplacer(texts...))
	c.create(pod(fmt.Sprintf("other-%d", c.srv.Version()), "x"))
	c.srv.Compact()
	gone, err := c.srv.Inject(apitest.Fault{Match: apitest.Match{Verb: apitest.VerbWatch, Resource: "pods"}, Times: 2, Action: apitest.InStreamError(metav1.Status{Code: http.StatusGone, Reason: metav1.StatusReasonExpired})})
	if err != nil {
		c.t.Fatal(err)
	}
	c.until("the watches end", func() bool { return gone.Hits() == 2 })
	for _, name := range shownTo {
		c.covered(name)
	}
}

// counts checks the number of reshown revisions, and of their transitions.
func (c *shown) counts(when string, reshown, transitions int64) {
	c.t.Helper()
	number := func(table string) int64 {
		return c.number("SELECT COUNT(*) FROM " + table + " r JOIN objects o ON o.id = r.object_id WHERE r.source = 5 AND o.name LIKE 'p-%'")
	}
	c.until(when, func() bool { return number("revisions") >= reshown })
	if got := number("revisions"); got != reshown {
		c.t.Errorf("%s: got %d reshown revisions, want %d", when, got, reshown)
	}
	if got := number("transitions"); got != transitions {
		c.t.Errorf("%s: got %d transitions, want %d", when, got, transitions)
	}
}

func recordReshown(t *testing.T, d *database) {
	const pods, running = 1000, 3
	c := &shown{cluster: newCluster(t, d)}
	for i := range pods {
		c.create(pod(fmt.Sprintf("p-%d", i), "x"))
	}
	for i := range running {
		c.phase(fmt.Sprintf("p-%d", i), "Running")
	}
	for i := range shownTo {
		c.shows[i].Store(strings.NewReplacer())
		c.start(i)
	}
	added := []string{`"spec":{`, `"spec":{"added":"default",`}
	c.show(0, added...) // the server of the second recorder still shows the old content
	c.counts("a default that one recorder sees", pods, 0)
	c.show(1, added...)
	c.counts("a default that both see", pods, 0)
	c.show(0, append(added, `"phase":"Running"`, `"phase":"Failed"`)...)
	c.counts("another state", pods+running, running)
	for i := range shownTo { // a recorder that starts again compares with the database
		c.stops[i]()
		c.shows[i].Store(strings.NewReplacer(`"spec":{`, `"spec":{"added":"other",`, `"phase":"Running"`, `"phase":"Failed"`))
	}
	c.create(pod("last", "x"))
	c.srv.Compact()
	for i := range shownTo {
		c.start(i)
	}
	c.counts("after a restart", 2*pods+running, running)
	for i := range shownTo {
		c.stops[i]()
	}
	c.checkReshown("p-0", []string{"", "default", "default", "other"}, []corev1.PodPhase{"Running", "Running", "Failed", "Failed"})
	c.checkReshown("p-7", []string{"", "default", "other"}, []corev1.PodPhase{"", "", ""})
}

// checkReshown compares the last revisions of a pod with the content that the server has shown.
func (c *cluster) checkReshown(name string, added []string, phases []corev1.PodPhase) {
	c.t.Helper()
	o := c.object(name)
	revisions := allPages(c.t, history.OldestFirst, func(ctx context.Context, p history.Paging) (history.Page[history.Revision], error) {
		return c.h.Revisions(ctx, o.ID, p)
	})
	revisions = revisions[max(0, len(revisions)-len(added)):]
	var got []string
	for _, r := range revisions {
		text, _, err := c.h.Body(c.t.Context(), o.ID, r.Version)
		if err != nil {
			c.t.Fatal(err)
		}
		_, value, _ := bytes.Cut(text, []byte(`"added":"`))
		value, _, _ = bytes.Cut(value, []byte(`"`))
		if !bytes.Contains(text, []byte(`"added":"`)) {
			value = nil
		}
		got = append(got, fmt.Sprintf("%s %s %v %v", value, r.State, bytes.Contains(text, []byte(`"phase":"Failed"`)), r.Source))
	}
	var want []string
	for i := range added {
		state, source := map[corev1.PodPhase]string{"": "Queued", "Running": "Running", "Failed": "Failed"}[phases[i]], history.Reshown
		if i == 0 {
			source = revisions[0].Source
		}
		want = append(want, fmt.Sprintf("%s %s %v %v", added[i], state, phases[i] == "Failed", source))
	}
	if !slices.Equal(got, want) || string(o.State) != map[corev1.PodPhase]string{"": "Queued", "Failed": "Failed"}[phases[len(phases)-1]] {
		c.t.Errorf("%s is %s: got %q, want %q", name, o.State, got, want)
	}
}
