package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/reflector"
)

// reporter logs the faults of a recorder.
type reporter struct {
	logger            *slog.Logger // nil: the default logger
	clusterName, host string
	slowAnswer        time.Duration // duration without an answer that counts as a fault
}

func newReporter(cfg *Config) *reporter {
	return &reporter{logger: cfg.Logger, clusterName: cfg.ClusterName, host: cfg.Cluster.Host(), slowAnswer: cmp.Or(cfg.Reflector.SlowAnswer, 8*time.Second)}
}

// log returns the logger. It reads the default logger on each call, because the program may
// set another one.
func (r *reporter) log() *slog.Logger {
	if r.logger != nil {
		return r.logger
	}
	return slog.Default()
}

// fault returns a reporter that logs each fault once, and the end of each fault.
func (r *reporter) fault(begin, end string, attrs ...any) *faultlog.Reporter {
	return &faultlog.Reporter{Fault: begin, Over: end, Logger: r.log, Attrs: append([]any{"cluster", r.clusterName}, attrs...)}
}

// ask calls f, which sends requests, and reports its error or a late answer. The end of ctx
// is not a fault.
func (r *reporter) ask(ctx context.Context, log *faultlog.Reporter, f func() error) error {
	var mu sync.Mutex
	done := false
	timer := time.AfterFunc(r.slowAnswer, func() {
		mu.Lock()
		defer mu.Unlock()
		if !done {
			err := fmt.Errorf("no answer for %v; still waiting", r.slowAnswer)
			log.See(faultlog.State{Kind: reflector.Unreachable.String(), Err: err, Remedy: "check the server address, the database, and the network or VPN"})
		}
	})
	defer timer.Stop()
	err := f()
	mu.Lock()
	defer mu.Unlock()
	done = true
	if ctx.Err() == nil {
		log.See(faultlog.State{Err: err, Remedy: remedy(err)})
	}
	return err
}

// remedy returns the advice for an error of a server or of a database.
func remedy(err error) string {
	if d := (*sqldb.Error)(nil); errors.As(err, &d) {
		return "" // the text of the error contains the advice
	}
	return kube.Remedy(err)
}

// targetReporter logs the faults of one target.
type targetReporter struct {
	start, follow, write *faultlog.Reporter
}

func (r *reporter) target(t Target) *targetReporter {
	return &targetReporter{
		start:  r.fault("not recorded yet", "recording has started", "type", t.Type, "host", r.host),
		follow: r.fault("cannot follow the server", "following the server again", append(t.attrs(), "host", r.host)...),
		write:  r.fault("cannot write to the database", "writing to the database again", t.attrs()...),
	}
}

// attrs returns the target as attributes of a log line.
func (t *Target) attrs() []any {
	all := []any{"type", t.Type, "namespace", t.Namespace}
	if !t.UIDs.IsAll() {
		all = append(all, "uids", t.UIDs.String())
	}
	return all
}

func (t *targetReporter) stop() {
	t.start.Stop()
	t.follow.Stop()
	t.write.Stop()
}
