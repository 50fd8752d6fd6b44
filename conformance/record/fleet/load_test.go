package fleet_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vedette-io/vedette/conformance/gobuild"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// loadTime is the time over which TestFleetLoads measures.
const loadTime = 20 * time.Second

// fleetLoad is the work of a recorder, each second.
type fleetLoad struct {
	bytes   float64 // between the API servers and the recorder
	cpu     float64 // in cores
	links   int     // connections to the database
	objects float64 // revisions in the database, of all recorders
}

// TestFleetLoads measures 1, 2 and 4 recorders that share three clusters, one holder for each
// shard. Where the servers select objects by UID range, the traffic of a recorder falls with
// the number of recorders.
func TestFleetLoads(t *testing.T) {
	if *changes == 0 {
		return
	}
	program := gobuild.Program(t, gobuild.Vedette)
	for _, kind := range dbtest.Kinds() {
		for _, selects := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/selects=%v", kind, selects), func(t *testing.T) {
				alone := measureFleet(t, program, kind, 1, selects)
				measureFleet(t, program, kind, 2, selects)
				four := measureFleet(t, program, kind, 4, selects)
				if selects && four.bytes > alone.bytes/2 {
					t.Errorf("each of four recorders gets %.0f bytes a second, and one alone %.0f", four.bytes, alone.bytes)
				}
			})
		}
	}
}

// measureFleet returns the average load of some recorders.
func measureFleet(t *testing.T, program, kind string, recorders int, selects bool) (mean fleetLoad) {
	t.Helper()
	f := newFleet(t, program, kind, fleetOptions{ranges: 4, holders: 1, selects: selects})
	var members []*fleetMember
	for i := range recorders {
		members = append(members, f.join(t, fmt.Sprint("member-", i)))
	}
	f.held(t)
	changing, stop := context.WithCancel(t.Context())
	var work sync.WaitGroup
	for _, c := range f.clusters {
		work.Go(func() { c.change(changing, t, *changes/fleetClusters) })
	}
	<-time.After(5 * time.Second) // an input: shards move until the loads are even
	before, began := f.usage(t, members), time.Now()
	<-time.After(loadTime) // an input: the length of the measurement
	after, took := f.usage(t, members), time.Since(began).Seconds()
	stop()
	work.Wait()
	f.compare(t)
	for _, m := range members {
		m.Stop(t)
	}
	n := float64(recorders)
	mean = fleetLoad{(after.bytes - before.bytes) / took / n, (after.cpu - before.cpu) / took / n, after.links / recorders, (after.objects - before.objects) / took}
	t.Logf("%d recorders: each %.0f KB/s from API servers, %.3f cores, %d connections to the database; %.0f revisions/s in all", recorders, mean.bytes/1e3, mean.cpu, mean.links, mean.objects)
	return mean
}

// usage returns the sums over the members so far.
func (f *fleet) usage(t *testing.T, members []*fleetMember) (sum fleetLoad) {
	t.Helper()
	for _, m := range members {
		for _, api := range m.apis {
			sum.bytes += float64(api.Bytes())
		}
		sum.cpu += cpuOf(t, m.PID())
		if m.db != nil {
			sum.links += m.db.Links()
		}
	}
	d := f.open(t)
	defer d.Close()
	if err := d.QueryRow(t.Context(), "SELECT COUNT(*) FROM revisions").Scan(&sum.objects); err != nil {
		t.Fatal(err)
	}
	return sum
}

// cpuOf returns the CPU time of a process in seconds (proc(5): fields 14 and 15 of stat, in
// hundredths).
func cpuOf(t *testing.T, pid int) float64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	var ticks float64
	for _, f := range fields[11:13] {
		n, err := strconv.ParseFloat(f, 64)
		if err != nil {
			t.Fatal(err)
		}
		ticks += n
	}
	return ticks / 100
}
