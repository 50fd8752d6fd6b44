package portal

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/vedette-io/vedette/bench/contest"
	"github.com/vedette-io/vedette/bench/measure"
)

// Floor is the name of the floors: what no portal can go below.
const Floor = "floor"

// floorAnswers is the number of answers that are measured as the floor of each operation.
const floorAnswers = 40

// answersFloor measures requests to a server in this process that answers with as many bytes
// as the portal, and does nothing else.
func answersFloor(ctx context.Context, client *http.Client, sizes [][]int) (measure.Figures, error) {
	largest := 0
	for _, some := range sizes {
		for _, n := range some {
			largest = max(largest, n)
		}
	}
	text := bytes.Repeat([]byte{'x'}, largest)
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/")) // always a number of this program
		_, _ = w.Write(text[:n])                                  // the client may have disconnected
	})}
	var work sync.WaitGroup
	work.Go(func() { _ = s.Serve(l) })
	defer work.Wait()
	defer s.Close()
	var took []time.Duration
	for _, some := range sizes {
		for _, n := range some[:min(len(some), floorAnswers)] {
			begun := time.Now()
			if _, err := get(ctx, client, "http://"+l.Addr().String()+"/"+strconv.Itoa(n)); err != nil {
				return nil, err
			}
			took = append(took, time.Since(begun))
		}
	}
	f := measure.Figures{Failed: 0}
	measure.Latency(took, f)
	return f, nil
}

// longestTick is the longest time between two writes of the portal to a client.
const longestTick = 100 * time.Millisecond

// ServeFloor is the process of the floor of streams: it writes a number of bytes to each client
// in each longestTick. It writes its addresses to out like Serve, and ends with in.
func ServeFloor(ctx context.Context, n int, in io.Reader, out io.Writer) error {
	text := bytes.Repeat([]byte{'x'}, n)
	return serve(ctx, in, out, func(ctx context.Context, l net.Listener) error {
		s := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			every := time.NewTicker(longestTick)
			defer every.Stop()
			for flusher := http.NewResponseController(w); ; {
				if _, err := w.Write(text); err != nil || flusher.Flush() != nil {
					return
				}
				select {
				case <-every.C:
				case <-ctx.Done():
					return
				case <-r.Context().Done():
					return
				}
			}
		})}
		go func() { // it ends with the process
			<-ctx.Done()
			_ = s.Close()
		}()
		if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
}

// streamsFloor measures the floor of streams: the same bytes each second for the same number of
// clients, which all read at once.
func streamsFloor(ctx context.Context, clients int, sent float64, length time.Duration) (p contest.Part, err error) {
	each := int(sent * longestTick.Seconds() / float64(max(clients, 1)))
	server, err := Start(ctx, Floor, strconv.Itoa(max(each, 1)))
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, server.stop()) }()
	reading, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	defer work.Wait()
	defer cancel()
	var got sync.Map // bytes of each client
	for i := range clients {
		work.Go(func() { got.Store(i, drain(reading, server.URL)) })
	}
	before, err := server.Usage(ctx, false)
	if err != nil {
		return p, err
	}
	begun := time.Now()
	select {
	case <-time.After(length):
	case <-ctx.Done():
		return p, ctx.Err()
	}
	after, err := server.Usage(ctx, false)
	if err != nil {
		return p, err
	}
	seconds := time.Since(begun).Seconds()
	cancel()
	work.Wait()
	total := int64(0)
	got.Range(func(_, n any) bool {
		total += n.(int64)
		return true
	})
	return contest.Part{Name: Floor, Figures: measure.Figures{Cores: (after[measure.CPU] - before[measure.CPU]) / seconds, Megabytes: float64(total) / seconds}}, nil
}

// drain reads an answer until ctx ends, and returns its length.
func drain(ctx context.Context, url string) int64 {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	n, _ := io.Copy(io.Discard, resp.Body) // it ends with ctx
	return n
}
