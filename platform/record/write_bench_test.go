package record_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/internal/bodies"
	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// podBody returns the JSON of a pod as a server sends it.
func podBody(name string, version int, phase string) string {
	var env strings.Builder
	for i := range 40 {
		fmt.Fprintf(&env, `{"name":"VARIABLE_%d","value":"value-%x"},`, i, i*7919)
	}
	return fmt.Sprintf(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":%q,"namespace":"ml","uid":"uid-%s","resourceVersion":"%d","creationTimestamp":"2026-03-01T09:00:00Z","labels":{"app":"train","team":"a"}},`+
		`"spec":{"containers":[{"name":"main","image":"example.com/train:1","env":[%s{"name":"LAST","value":"1"}]}]},"status":{"phase":%q,"message":"at %d"}}`, name, name, version, env.String(), phase, version)
}

// BenchmarkDecode measures the decoding of a delta on the goroutine that reads from the
// server.
func BenchmarkDecode(b *testing.B) {
	pods := kube.Resource{Version: "v1", Name: "pods", Kind: "Pod"}
	d := upsert(podBody("a", 7, "Running"))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, _, err := record.Observe(pods, nil, nil, d); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkWrite measures a batch of 500 revisions of 100 objects in SQLite.
func BenchmarkWrite(b *testing.B) {
	const revisions, objects = 500, 100
	d, err := sqldb.Open(b.Context(), "sqlite:"+b.TempDir()+"/history.db")
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	if _, err := d.Migrate(b.Context()); err != nil {
		b.Fatal(err)
	}
	packer, version := bodies.NewEncoder(1, 16<<20), 0
	states := []job.State{job.Queued, job.Running, job.Failed}
	b.ReportAllocs()
	for b.Loop() {
		var batch []record.Observation
		for i := range revisions {
			version++
			uid := fmt.Sprint(i % objects)
			batch = append(batch, record.Observation{UID: uid, Version: wire.Version(version), State: states[version/objects%3], Body: podBody(uid, version, "Running")})
		}
		if _, err := record.WriteWith(b.Context(), d, packer, batch); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*revisions), "us/revision")
}
