package e2e_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/wire"
)

// collections are the paths of the watched types.
var collections = map[string]string{"Job": "/apis/batch/v1/jobs", "Pod": "/api/v1/pods"}

var errRefused = errors.New("the watch delivered an ERROR")

// witness is a raw watch with HTTP and encoding/json, without code of this project.
type witness struct {
	t       *testing.T
	cluster *controlplane.Cluster
	client  *http.Client

	mu   sync.Mutex
	seen []change
	work sync.WaitGroup
}

func newWitness(t *testing.T, c *controlplane.Cluster) *witness {
	t.Helper()
	client, err := rest.HTTPClientFor(c.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	w := &witness{t: t, cluster: c, client: client}
	t.Cleanup(client.CloseIdleConnections)
	return w
}

// object has the fields that the witness reads.
type object struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Name            string `json:"name"`
		Namespace       string `json:"namespace"`
		UID             string `json:"uid"`
		ResourceVersion string `json:"resourceVersion"`
	} `json:"metadata"`
}

func (w *witness) note(event, kind string, o *object) {
	v, err := wire.ParseVersion(o.Metadata.ResourceVersion)
	if err != nil {
		w.t.Errorf("witness: %+v: %v", o, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = append(w.seen, change{event, kind, o.Metadata.Namespace + "/" + o.Metadata.Name, o.Metadata.UID, v})
}

// watch lists everything, and watches until the server has stopped.
func (w *witness) watch(ctx context.Context) {
	w.t.Helper()
	for kind, path := range collections {
		items, version, err := w.list(ctx, path)
		if err != nil {
			w.t.Fatal(err)
		}
		for i := range items {
			w.note("ADDED", kind, &items[i])
		}
		w.work.Go(func() { w.follow(ctx, kind, path, version) })
	}
}

// follow watches from a version. It resumes when a running server ends a watch, which is
// always allowed: an API server whose own watch of etcd fails ends all watches that
// depend on it.
func (w *witness) follow(ctx context.Context, kind, path, version string) {
	for ctx.Err() == nil {
		resp, err := w.get(ctx, path, url.Values{"watch": {"true"}, "resourceVersion": {version}, "allowWatchBookmarks": {"true"}})
		if err != nil {
			w.t.Logf("the witness cannot watch %s from version %s: %v", kind, version, err)
			return
		}
		version, err = w.read(resp.Body, kind, version)
		w.t.Logf("the witness's watch of %s has ended at version %s: %v", kind, version, err)
		if errors.Is(err, errRefused) {
			w.t.Error("the witness was refused")
			return
		}
	}
}

// read records the events of one watch, and returns the last version.
func (w *witness) read(body io.ReadCloser, kind, version string) (string, error) {
	defer body.Close()
	frames := json.NewDecoder(bufio.NewReader(body))
	for {
		var frame struct {
			Type   string `json:"type"`
			Object object `json:"object"`
		}
		switch err := frames.Decode(&frame); {
		case err != nil:
			return version, err
		case frame.Type == "ERROR":
			return version, errRefused
		case frame.Type != "BOOKMARK":
			w.note(frame.Type, kind, &frame.Object)
		}
		version = frame.Object.Metadata.ResourceVersion
	}
}

func (w *witness) get(ctx context.Context, path string, query url.Values) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.cluster.Host()+path+"?"+query.Encode(), nil)
	if err != nil {
		return nil, err
	}
	resp, err := w.client.Do(req)
	if err == nil && resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		err = fmt.Errorf("%s: %s", path, resp.Status)
	}
	return resp, err
}

// list fetches all current objects.
func (w *witness) list(ctx context.Context, path string) ([]object, string, error) {
	resp, err := w.get(ctx, path, nil)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	var list struct {
		Metadata struct {
			ResourceVersion string `json:"resourceVersion"`
		} `json:"metadata"`
		Items []object `json:"items"`
	}
	err = json.NewDecoder(resp.Body).Decode(&list)
	return list.Items, list.Metadata.ResourceVersion, err
}

// state returns the current objects, in the form of fold.
func (w *witness) state(ctx context.Context) (map[string]wire.Version, error) {
	now := map[string]wire.Version{}
	for kind, path := range collections {
		items, _, err := w.list(ctx, path)
		if err != nil {
			return nil, err
		}
		for _, o := range items {
			v, err := wire.ParseVersion(o.Metadata.ResourceVersion)
			if err != nil {
				return nil, err
			}
			now[kind+" "+o.Metadata.Namespace+"/"+o.Metadata.Name+" "+o.Metadata.UID] = v
		}
	}
	return now, nil
}

func (w *witness) changes() []change {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]change(nil), w.seen...)
}
