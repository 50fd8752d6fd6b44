package fleet_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/conformance/dice"
	"github.com/vedette-io/vedette/conformance/gobuild"
	"github.com/vedette-io/vedette/conformance/network"
	"github.com/vedette-io/vedette/conformance/record/stage"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/record/shard"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

var changes = flag.Int("changes", 0, "changes a second of TestFleet; 0 omits it")

// fleetClusters is the number of clusters of a fleet.
const fleetClusters = 3

// TestFleet: recorders share the pods of three clusters, divided into UID ranges, two recorders
// for each shard, at many changes a second. They are killed, stopped for longer than a lease,
// cut off and restarted at random. In the end the database has every event of an independent
// raw watch once, in order, each deletion, and no gap; and recorders that woke up after their
// lease were refused.
func TestFleet(t *testing.T) {
	if *changes == 0 {
		return
	}
	program := gobuild.Program(t, gobuild.Vedette)
	for _, kind := range dbtest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			f := newFleet(t, program, kind, fleetOptions{ranges: 2, holders: 2, selects: true})
			var members []*fleetMember
			for i := range *stage.Sharing {
				members = append(members, f.join(t, fmt.Sprint("member-", i)))
			}
			f.held(t)
			changing, stop := context.WithCancel(t.Context())
			var work sync.WaitGroup
			for _, c := range f.clusters {
				work.Go(func() { c.change(changing, t, *changes/fleetClusters) })
			}
			f.disturb(t, members)
			f.held(t)
			stop()
			work.Wait()
			f.compare(t)
			returned := 0
			for _, m := range members {
				returned += m.Returned(t)
				m.Stop(t)
			}
			if returned == 0 {
				t.Error("no recorder was taken for dead and came back")
			}
			t.Logf("%d times, a recorder woke up after its lease", returned)
		})
	}
}

// fleetOptions are the options of a fleet.
type fleetOptions struct {
	ranges  int  // UID ranges of the pods of a cluster, a power of two
	holders int  // recorders of a shard
	selects bool // the API servers select objects by UID range (KEP-5866)
}

// fleet is some clusters, and the database of their recorders.
type fleet struct {
	fleetOptions
	program, url string
	dice         *dice.Dice
	clusters     []*fleetCluster
}

// fleetCluster is an API server with the events of an independent watch.
type fleetCluster struct {
	*apitest.Server
	host string
	dice *dice.Dice

	mu      sync.Mutex
	changes int                 // changes that the server has accepted, each of which is an event
	events  int                 // events that the watch has read
	seen    map[string][]string // versions of each UID, in the order of their events
	deleted map[string]bool
}

func newFleet(t *testing.T, program, kind string, o fleetOptions) *fleet {
	t.Helper()
	f := &fleet{fleetOptions: o, program: program, url: dbtest.Empty(t, kind), dice: dice.New(t)}
	d := f.open(t)
	defer d.Close()
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range fleetClusters {
		srv, err := apitest.New(apitest.Config{SystemNamespaces: true, Window: 1 << 20, BookmarkInterval: time.Second, ShardSelectors: o.selects})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(srv.Close)
		address, err := srv.Listen("127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		c := &fleetCluster{Server: srv, dice: f.dice, host: strings.TrimPrefix(address, "http://"), seen: map[string][]string{}, deleted: map[string]bool{}}
		f.clusters = append(f.clusters, c)
		c.watch(t)
	}
	return f
}

func (f *fleet) open(t *testing.T) *sqldb.DB {
	t.Helper()
	d, err := sqldb.Open(t.Context(), f.url)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// watch keeps the events of all pods until the test ends.
func (c *fleetCluster) watch(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+c.host+"/api/v1/pods?watch=1&timeoutSeconds=86400", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	var work sync.WaitGroup
	work.Go(func() {
		in := json.NewDecoder(resp.Body)
		for {
			var e struct {
				Type   string
				Object metav1.PartialObjectMetadata
			}
			if err := in.Decode(&e); err != nil {
				if ctx.Err() == nil {
					t.Errorf("the raw watch ended: %v", err)
				}
				return
			}
			c.mu.Lock()
			uid := string(e.Object.UID)
			c.events++
			c.seen[uid] = append(c.seen[uid], e.Object.ResourceVersion)
			if e.Type == "DELETED" {
				c.deleted[uid] = true
			}
			c.mu.Unlock()
		}
	})
	t.Cleanup(func() {
		cancel()
		_ = resp.Body.Close()
		work.Wait()
	})
}

// change changes pods until ctx ends, in bursts: it creates, updates and deletes them.
func (c *fleetCluster) change(ctx context.Context, t *testing.T, rate int) {
	const bursts = 20                            // a second
	tick := time.NewTicker(time.Second / bursts) // an input: the pace of the writer
	defer tick.Stop()
	phases := []corev1.PodPhase{corev1.PodPending, corev1.PodRunning, corev1.PodSucceeded, corev1.PodFailed}
	var live []string
	for n := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for range rate / bursts {
			var err error
			i := 0
			if len(live) > 0 {
				i = c.dice.IntN(len(live))
			}
			switch {
			case len(live) < 200 && c.dice.IntN(4) == 0 || len(live) == 0:
				n++
				live = append(live, fmt.Sprint("pod-", n))
				_, err = c.Create(fleetPod(live[len(live)-1]))
			case c.dice.IntN(8) == 0:
				err = c.Delete(fleetPod(live[i]))
				live = slices.Delete(live, i, i+1)
			default:
				_, err = apitest.Modify(c.Server, fleetPod(live[i]), func(p *corev1.Pod) {
					p.Status.Phase, p.Status.Message = phases[c.dice.IntN(len(phases))], fmt.Sprint(c.dice.Uint64())
				})
			}
			if err != nil {
				t.Error(err)
				return
			}
			c.mu.Lock()
			c.changes++
			c.mu.Unlock()
		}
	}
}

func fleetPod(name string) *corev1.Pod {
	return &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: name, Labels: map[string]string{"app": "train"}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "busybox"}}},
	}
}

// fleetMember is a recorder, behind networks of its own.
type fleetMember struct {
	*stage.Recorder
	apis []*network.Proxy
	db   *network.Proxy // nil with SQLite
}

// join starts a recorder.
func (f *fleet) join(t *testing.T, name string) *fleetMember {
	t.Helper()
	m, dir, url := &fleetMember{}, t.TempDir(), f.url
	if _, rest, found := strings.Cut(f.url, "@"); found {
		at, _, _ := strings.Cut(rest, "/")
		m.db = network.New(t, at)
		url = strings.Replace(url, at, m.db.Address(), 1)
	}
	cfg := clientcmdapi.NewConfig()
	var text strings.Builder
	fmt.Fprintf(&text, "db: %q\nname: %s\njoin: true\njoin-lease: %v\nreplicas-per-shard: %d\nclusters:\n", url, name, stage.ShareLease, f.holders)
	for i, c := range f.clusters {
		m.apis = append(m.apis, network.New(t, c.host))
		context := fmt.Sprint("cluster-", i)
		cfg.Clusters[context] = &clientcmdapi.Cluster{Server: "http://" + m.apis[i].Address()}
		cfg.Contexts[context] = &clientcmdapi.Context{Cluster: context}
		fmt.Fprintf(&text, "- name: %s\n  context: %s\n  kubeconfig: %q\n  resources:\n  - type: pods\n    uid-ranges: %d\n", context, context, filepath.Join(dir, "kubeconfig"), f.ranges)
	}
	file := filepath.Join(dir, "vedette.yaml")
	if err := clientcmd.WriteToFile(*cfg, filepath.Join(dir, "kubeconfig")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	m.Recorder = stage.Start(t, name, func() *exec.Cmd { return exec.Command(f.program, "record", "--config", file) })
	return m
}

// held waits until each shard has its holders, and they have caught up.
func (f *fleet) held(t *testing.T) {
	t.Helper()
	d := f.open(t)
	defer d.Close()
	patience.Until(t, "each shard has its holders", func() string {
		shards, _, err := shard.List(t.Context(), d)
		if err != nil || len(shards) != fleetClusters*f.ranges {
			return fmt.Sprintf("got %d shards, %v", len(shards), err)
		}
		for _, one := range shards {
			if len(one.Holders) != f.holders || slices.ContainsFunc(one.Holders, func(h shard.ListedHolder) bool { return !h.Ready }) {
				return fmt.Sprintf("%v has the holders %+v", one.UIDs, one.Holders)
			}
		}
		return ""
	})
}

// disturb injects faults into recorders at random. It begins with stops, as the disturb of
// TestShared does.
func (f *fleet) disturb(t *testing.T, members []*fleetMember) {
	t.Helper()
	end, counts, returned := time.Now().Add(*stage.Disturbance), map[string]int{}, 0
	for n := 0; !t.Failed() && (time.Now().Before(end) || returned == 0 && n < stage.MaxStops); n++ { // an input: the length of the disturbance
		m := members[f.dice.IntN(len(members))]
		kind := []string{"stop", "kill", "restart", "cut off an API server", "cut off the database"}[f.dice.IntN(5)]
		if returned == 0 {
			kind = "stop"
		}
		switch {
		case kind == "stop":
			pid := m.PID()
			_ = syscall.Kill(pid, syscall.SIGSTOP)
			<-time.After(2 * stage.ShareLease) // an input: the pace of the disturbance
			_ = syscall.Kill(pid, syscall.SIGCONT)
		case kind == "kill":
			m.Kill()
			m.Launch(t)
		case kind == "restart":
			m.Stop(t)
			m.Launch(t)
		case kind == "cut off the database" && m.db != nil:
			stage.Cut(m.db, network.Drop, 2*stage.ShareLease)
		default:
			kind = "cut off an API server"
			stage.Cut(m.apis[f.dice.IntN(len(m.apis))], network.Drop, 2*stage.ShareLease)
		}
		counts[kind]++
		<-time.After(time.Duration(200+f.dice.IntN(1500)) * time.Millisecond) // an input: the pace of the disturbance
		returned += m.Returned(t)
	}
	t.Logf("faults: %v", counts)
}

// compare waits until the database has the last event of each cluster, and compares it with
// the raw watches.
func (f *fleet) compare(t *testing.T) {
	t.Helper()
	d := f.open(t)
	defer d.Close()
	want, deleted := map[string][]string{}, map[string]bool{}
	for _, c := range f.clusters {
		patience.Work(t, "the raw watch has read all events", func() (int64, string) {
			c.mu.Lock()
			defer c.mu.Unlock()
			if c.events < c.changes {
				return int64(c.events), fmt.Sprintf("%d of %d", c.events, c.changes)
			}
			return int64(c.events), ""
		})
		c.mu.Lock()
		maps.Copy(want, c.seen)
		maps.Copy(deleted, c.deleted)
		c.mu.Unlock()
	}
	total := 0
	for _, versions := range want {
		total += len(versions)
	}
	patience.Work(t, "the database has all revisions", func() (int64, string) {
		n := 0
		if err := d.QueryRow(t.Context(), "SELECT COUNT(*) FROM revisions").Scan(&n); err != nil || n < total {
			return int64(n), fmt.Sprintf("%d of %d revisions, %v", n, total, err)
		}
		return int64(n), ""
	})
	got, presence := f.stored(t, d)
	wrong := 0
	for uid, versions := range want {
		if !slices.Equal(got[uid], versions) || deleted[uid] != presence[uid] {
			if wrong++; wrong < 5 {
				t.Errorf("%s: got versions %v, deleted %v; want %v, deleted %v", uid, got[uid], presence[uid], versions, deleted[uid])
			}
		}
	}
	gaps := 0
	if err := d.QueryRow(t.Context(), "SELECT COUNT(*) FROM gaps").Scan(&gaps); err != nil || gaps != 0 || wrong > 0 || len(got) != len(want) {
		t.Errorf("%d of %d objects are wrong, the database has %d, and %d gaps (%v)", wrong, len(want), len(got), gaps, err)
	}
	t.Logf("%d revisions of %d pods, %d of them deleted: each is in the database once, and there are %d gaps", total, len(want), len(deleted), gaps)
}

// stored returns the versions of each UID in the database, in their order, and the objects
// whose deletion was observed.
func (f *fleet) stored(t *testing.T, d *sqldb.DB) (versions map[string][]string, deleted map[string]bool) {
	t.Helper()
	versions, deleted = map[string][]string{}, map[string]bool{}
	err := d.Query(t.Context(), "SELECT o.uid, r.version, o.presence FROM revisions r JOIN objects o ON o.id = r.object_id ORDER BY o.uid, r.version", nil, func(rows *sql.Rows) error {
		var uid, version string
		var presence int
		err := rows.Scan(&uid, &version, &presence)
		versions[uid] = append(versions[uid], version)
		if presence == 1 {
			deleted[uid] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return versions, deleted
}
