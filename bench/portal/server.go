package portal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"sync"
	"time"

	"github.com/vedette-io/vedette/bench/measure"
	"github.com/vedette-io/vedette/platform/portal"
	"github.com/vedette-io/vedette/platform/portal/identity"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// RSS is the name of the figure of the resident memory, in bytes.
const RSS = "rss"

// Serve is the process of the portal: it serves the history in a database, writes its address
// and the address of its usage as a line to out, and ends with in.
//
// Errors: the database; an address that cannot be used.
func Serve(ctx context.Context, url string, in io.Reader, out io.Writer) error {
	db, err := sqldb.Open(ctx, url)
	if err != nil {
		return err
	}
	defer db.Close()
	return serve(ctx, in, out, func(ctx context.Context, l net.Listener) error {
		p, err := portal.New(portal.Config{
			DB: db, Version: "bench", Metrics: true, Identity: identity.Config{Listen: l.Addr().String(), InsecureLoopback: true},
			Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		})
		if err != nil {
			return errors.Join(err, l.Close())
		}
		return p.Serve(ctx, l)
	})
}

// serve runs a server beside that of its usage, until in ends. It writes both addresses as a
// line to out.
func serve(ctx context.Context, in io.Reader, out io.Writer, run func(context.Context, net.Listener) error) error {
	mark, err := measure.Begin()
	if err != nil {
		return err
	}
	pages, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	usage, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return errors.Join(err, pages.Close())
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { // it ends with in, which ends before the process does
		_, _ = io.Copy(io.Discard, in)
		cancel()
	}()
	beside := &http.Server{Handler: usageOf(mark), ReadHeaderTimeout: time.Minute}
	var work sync.WaitGroup
	work.Go(func() { _ = beside.Serve(usage) })
	if _, err := fmt.Fprintf(out, "http://%s http://%s\n", pages.Addr(), usage.Addr()); err != nil {
		cancel()
	}
	err = run(ctx, pages)
	_ = beside.Close()
	work.Wait()
	return err
}

// usageOf returns a handler that reports the resource usage of this process since a mark. With
// memory=1 it first collects garbage. It also serves profiles.
func usageOf(mark *measure.Mark) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/usage", func(w http.ResponseWriter, r *http.Request) {
		f, err := mark.Times()
		if err == nil && r.URL.Query().Has("memory") {
			err = mark.Memory(f)
		}
		rss, rssErr := measure.RSS()
		if err = errors.Join(err, rssErr); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		f[RSS] = float64(rss)
		_ = json.NewEncoder(w).Encode(f) // the client may have disconnected
	})
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	return mux
}
