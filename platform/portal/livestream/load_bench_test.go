package livestream

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/oscompat"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/web"
)

const (
	// browsersEnv is the variable with the address for the browsers' process.
	browsersEnv = "VEDETTE_TEST_BROWSERS"

	browsers, slowBrowsers = 1000, 200
	changesPerSecond       = 500
	loadTime               = 20 * time.Second
	allChanges             = int64(changesPerSecond * loadTime / time.Second)
)

// loadResult counts what the browsers received.
type loadResult struct {
	Least, Most   int // changes of a fast browser
	Wrong         int // fast browsers whose changes were not consecutive
	Slow          int // slow browsers that are still connected or were reset
	Cut           int // slow browsers whose connection ended
	Resets, Beats int
	Bytes         int64
}

// browse is the main function of the browsers' process. After its standard input ends, it waits
// until each fast browser has received the last change.
func browse(address string) int {
	var work sync.WaitGroup
	all := make([]*streamReader, browsers)
	for i := range all {
		r := &streamReader{slow: i < slowBrowsers, done: make(chan struct{})}
		c, err := net.Dial("tcp", address)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		r.conn, all[i] = c.(*net.TCPConn), r
		if r.slow {
			_ = r.conn.SetReadBuffer(16 << 10) // a large kernel buffer would hide that it is slow
		}
		if _, err := io.WriteString(c, "GET /api/v1/stream HTTP/1.1\r\nHost: portal\r\n\r\n"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		work.Go(r.read)
	}
	fmt.Println("connected")
	_, _ = io.Copy(io.Discard, os.Stdin)
	for _, r := range all[slowBrowsers:] {
		<-r.done
	}
	for _, r := range all {
		_ = r.conn.Close()
	}
	work.Wait()
	res := loadResult{Least: 1 << 40}
	for _, r := range all {
		res.Bytes += int64(r.bytes)
		res.Resets, res.Beats = res.Resets+r.resets, res.Beats+r.beats
		switch {
		case r.slow && r.cut:
			res.Cut++
		case r.slow:
			res.Slow++
		default:
			res.Least, res.Most = min(res.Least, r.changes), max(res.Most, r.changes)
			if r.wrong || r.cut {
				res.Wrong++
			}
		}
	}
	_ = json.NewEncoder(os.Stdout).Encode(res) // the parent has exited
	return 0
}

// streamReader is a browser.
type streamReader struct {
	conn                          *net.TCPConn
	slow, cut, wrong              bool
	changes, resets, beats, bytes int
	last                          int64
	done                          chan struct{} // closed after the last change, or the end of the connection
	finished                      bool
}

// finish closes done once.
func (r *streamReader) finish() {
	if !r.finished {
		r.finished = true
		close(r.done)
	}
}

var (
	markPosition = []byte(`{"position":`)
	markReset    = []byte("event: reset")
	markBeat     = []byte("event: beat")
)

// read counts the received changes. Each line of data is complete before it is counted.
func (r *streamReader) read() {
	defer r.finish()
	size := 64 << 10
	if r.slow {
		size = 4 << 10
	}
	in := bufio.NewReaderSize(r.conn, size)
	for {
		line, err := in.ReadSlice('\n')
		r.bytes += len(line)
		r.count(line)
		if err != nil && err != bufio.ErrBufferFull {
			r.cut = !strings.Contains(err.Error(), "use of closed")
			return
		}
		if r.slow {
			<-time.After(250 * time.Millisecond) // an input: a slow browser
		}
	}
}

// count counts the changes in a part of the stream. Lines of fast browsers fit into their buffer,
// so no marker is split.
func (r *streamReader) count(part []byte) {
	if bytes.Contains(part, markBeat) {
		r.beats++
	}
	if bytes.Contains(part, markReset) {
		r.resets++
	}
	if r.slow {
		return
	}
	for {
		at := bytes.Index(part, markPosition)
		if at < 0 {
			return
		}
		part = part[at+len(markPosition):]
		n := int64(0)
		for len(part) > 0 && part[0] >= '0' && part[0] <= '9' {
			n, part = n*10+int64(part[0]-'0'), part[1:]
		}
		if r.last != 0 && n != r.last+1 {
			r.wrong = true
		}
		r.last = n
		r.changes++
		if n == allChanges {
			r.finish()
		}
	}
}

// loadChange is a change with a row of usual size.
func loadChange(n int64, now time.Time) Change {
	life := []api.Span{{State: "Submitted", From: now, To: now}, {State: "Queued", From: now, To: now}, {State: "Running", From: now, Attempt: 1}}
	job := api.Job{
		ID: n, Cluster: "prod-a", UID: "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0", Type: "jobs.batch", Kind: "Job", Namespace: fmt.Sprint("team-", n%50), Name: fmt.Sprint("train-llama-", n), State: "Running",
		Since: now, Submitted: now, Presence: "Present", Tries: 1, GPUs: 8, Pods: 1, Queue: "gpu-h100", Owner: "liwei", Labels: map[string]string{"team": "llm", "budget": "2026-q4"}, Life: life, Version: fmt.Sprint(n),
	}
	return Change{Position: n, Cluster: job.Cluster, Type: job.Type, Namespace: job.Namespace, Seen: now, Fresh: true, Event: api.Change{Position: n, Kind: "new", Before: "Starting", Job: job, Seen: now}}
}

// BenchmarkStreams measures the CPU and the memory of 1,000 browsers at 500 changes a second. 200
// of them read too slowly. The browsers run in another process.
func BenchmarkStreams(b *testing.B) {
	testinput.Uncached(b)
	for range b.N {
		h := New(Config{Sight: func(context.Context) (Sight, error) { return fakeSight("*"), nil }, Position: func() int64 { return 0 }})
		h.Start(0, nil)
		mux := http.NewServeMux()
		h.Register(web.NewAPI(mux, "test"))
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			b.Fatal(err)
		}
		ctx, cancel := context.WithCancel(b.Context())
		var work sync.WaitGroup
		work.Go(func() { h.Run(ctx) })
		work.Go(func() {
			if err := web.Serve(ctx, l, web.Guard(mux, false, nil), nil, slog.New(slog.DiscardHandler)); err != nil {
				b.Error(err)
			}
		})
		report(b, h, l.Addr().String())
		cancel()
		work.Wait()
	}
}

// report runs the browsers and the changes, and reports the resources that the server used.
func report(b *testing.B, h *Hub, address string) {
	child := exec.CommandContext(b.Context(), os.Args[0])
	child.Env, child.Stderr = append(os.Environ(), browsersEnv+"="+address), os.Stderr
	in, err := child.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	pipe, err := child.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := child.Start(); err != nil {
		b.Fatal(err)
	}
	out := bufio.NewReader(pipe)
	if _, err := out.ReadString('\n'); err != nil {
		b.Fatal(err)
	}
	patience.Until(b, "all browsers are connected", func() string {
		if n := h.Stats().Browsers; n < browsers {
			return fmt.Sprintf("%d are", n)
		}
		return ""
	})
	began, used, most, sent := time.Now(), oscompat.CPUTime(), uint64(0), int64(0)
	ticker := time.NewTicker(20 * time.Millisecond) // an input: the changes come at a steady rate
	for now := range ticker.C {
		if now.Sub(began) > loadTime {
			break
		}
		sent = appendUpTo(h, sent, int64(now.Sub(began).Seconds()*changesPerSecond), now)
		if sent%(5*changesPerSecond) < 10 {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapInuse+m.StackInuse)
		}
	}
	ticker.Stop()
	took := oscompat.CPUTime() - used
	sent = appendUpTo(h, sent, allChanges, time.Now())
	_ = in.Close()
	results, broken := make(chan loadResult, 1), make(chan error, 1)
	go func() {
		var res loadResult
		broken <- json.NewDecoder(out).Decode(&res)
		results <- res
	}()
	if err := patience.Receive(b, "the browsers receive the last change", broken); err != nil {
		b.Fatal(err)
	}
	res := <-results
	if err := child.Wait(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(took.Seconds()/loadTime.Seconds(), "cores")
	b.ReportMetric(float64(most)/1e6, "MB")
	b.ReportMetric(float64(res.Bytes)/1e6/loadTime.Seconds(), "MB/s")
	b.Logf("%d changes: %+v", sent, res)
	if res.Wrong > 0 || int64(res.Least) != sent || int64(res.Most) != sent {
		b.Errorf("a fast browser lost a change")
	}
}

// appendUpTo appends changes up to a number, which it returns.
func appendUpTo(h *Hub, sent, upTo int64, now time.Time) int64 {
	var some []Change
	for ; sent < min(upTo, allChanges); sent++ {
		some = append(some, loadChange(sent+1, now))
	}
	h.Append(some)
	return sent
}
