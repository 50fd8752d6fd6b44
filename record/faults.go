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
	"github.com/vedette-io/vedette/record/sqldb"
	"github.com/vedette-io/vedette/reflector"
)

// log returns the logger of the recorder. It looks up the default logger on each call.
func (r *Recorder) log() *slog.Logger {
	if r.cfg.Logger != nil {
		return r.cfg.Logger
	}
	return slog.Default()
}

// faults returns a reporter that logs each fault once, and its end.
func (r *Recorder) faults(fault, over string, attrs ...any) *faultlog.Reporter {
	return &faultlog.Reporter{Fault: fault, Over: over, Logger: r.log, Attrs: append([]any{"cluster", r.cfg.ClusterName}, attrs...)}
}

// slowAnswer is how long an answer may take before the log reports it.
func (r *Recorder) slowAnswer() time.Duration {
	return cmp.Or(r.cfg.Reflector.SlowAnswer, 8*time.Second)
}

// ask calls f, which sends a request, and logs its faults, including a late answer. The
// end of ctx is no fault.
func (r *Recorder) ask(ctx context.Context, log *faultlog.Reporter, f func() error) error {
	var mu sync.Mutex
	done := false
	timer := time.AfterFunc(r.slowAnswer(), func() {
		mu.Lock()
		defer mu.Unlock()
		if !done {
			err := fmt.Errorf("no answer for %v; still waiting", r.slowAnswer())
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

// remedy returns what to do about an error of a server or of a database.
func remedy(err error) string {
	if d := (*sqldb.Error)(nil); errors.As(err, &d) {
		return "" // the error text contains the remedy
	}
	return kube.Remedy(err)
}

// targetLog writes the faults of one target to the log.
type targetLog struct {
	begin, follow, write *faultlog.Reporter
}

func (r *Recorder) targetLog(t Target) *targetLog {
	host := r.cfg.Cluster.Host()
	return &targetLog{
		begin:  r.faults("not recorded yet", "it is recorded now", "type", t.Type, "host", host),
		follow: r.faults("the server can not be followed now", "the server is followed again", "type", t.Type, "namespace", t.Namespace, "host", host),
		write:  r.faults("a batch is not written yet", "what had to wait is written", "type", t.Type, "namespace", t.Namespace),
	}
}

func (l *targetLog) stop() {
	l.begin.Stop()
	l.follow.Stop()
	l.write.Stop()
}
