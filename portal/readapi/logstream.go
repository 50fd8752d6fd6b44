package readapi

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/portal/api"
	"github.com/vedette-io/vedette/portal/web"
	"github.com/vedette-io/vedette/submit/logs"
)

// Bounds of streams of logs.
const (
	flushEvery = 50 * time.Millisecond
	flushLines = 200
	checkEvery = 30 * time.Second // that the person may still read the log
	quietEvery = 15 * time.Second // a comment keeps proxies from closing the connection
)

// logOrStream answers with a page of the log of a job, or follows it.
func logOrStream(r *reader, ctx context.Context, in *logsInput) (*api.LogPage, web.Follow, error) {
	if !in.Follow {
		page, err := readLog(r, ctx, in)
		return page, nil, err
	}
	if _, err := openLog(r, ctx, in); err != nil {
		return nil, nil, err
	}
	return nil, func(ctx context.Context, events *web.Events) error { return followLog(r, ctx, in, events) }, nil
}

// followLog writes the lines of a log as they come, until the job has ended, the person loses the
// right, or the client has gone. A client that does not read stops the reading from the node.
func followLog(r *reader, ctx context.Context, in *logsInput, events *web.Events) error {
	if !r.followers.enter() {
		return events.Send("problem", "", web.TooMany(10*time.Second))
	}
	defer r.followers.leave()
	s, err := openLog(r, ctx, in)
	if err != nil {
		return events.Send("problem", "", web.ProblemOf(ctx, err))
	}
	tail := in.Limit
	if tail == 0 {
		tail = defaultLines
	}
	o := s.options
	o.Follow, o.Tail = s.live, &tail
	var told *unread
	if c, err := parseLogCursor(in.After); in.After != "" && err == nil && !c.back {
		o.Tail, o.Since, told = nil, c.time(), &unread{c.at, c.n}
	}
	ctx, cancel := context.WithCancel(ctx)
	lines := make(chan logs.Line, flushLines)
	var work sync.WaitGroup
	var failed error // set before lines is closed
	work.Go(func() {
		defer close(lines)
		for l, err := range logs.Read(ctx, o) {
			if err != nil {
				failed = err
				return
			}
			if told != nil && !told.is(&l) {
				continue
			}
			select {
			case lines <- l:
			case <-ctx.Done():
				return
			}
		}
	})
	defer work.Wait()
	defer cancel()
	if err := pump(ctx, lines, events, func() error {
		_, row, err := r.job(ctx, in.JobPath, "")
		if err == nil {
			err = r.May(ctx, readLogs(row))
		}
		return err
	}); err != nil {
		return err
	}
	var none *logs.NoLogsError
	var request *kube.RequestError
	switch {
	case failed == nil, errors.As(failed, &none), ctx.Err() != nil:
	case errors.As(failed, &request):
		if err := events.Send("line", "", api.LogLine{Note: unanswered}); err != nil {
			return err
		}
	default:
		return events.Send("problem", "", web.ProblemOf(ctx, failed))
	}
	return events.Send("end", "", struct{}{})
}

// pump writes lines in groups until the channel is closed. check says whether the person may
// still read them.
func pump(ctx context.Context, lines <-chan logs.Line, events *web.Events, check func() error) error {
	flush := time.NewTicker(flushEvery)
	defer flush.Stop()
	checked, wrote := time.Now(), time.Now()
	var frames [][]byte
	write := func() error {
		err := events.Write(frames...)
		frames, wrote = frames[:0], time.Now()
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case l, open := <-lines:
			if !open {
				return write()
			}
			text, err := json.Marshal(lineOf(&l))
			if err != nil {
				return err
			}
			if frames = append(frames, web.Frame("line", "", text)); len(frames) >= flushLines {
				if err := write(); err != nil {
					return err
				}
			}
		case now := <-flush.C:
			if now.Sub(checked) >= checkEvery {
				var p *api.Problem
				if errors.As(check(), &p) && p.Status < 500 {
					return events.Send("rights", "", struct{}{})
				}
				checked = now
			}
			if len(frames) == 0 && now.Sub(wrote) >= quietEvery {
				frames = append(frames, []byte(": quiet\n\n"))
			}
			if len(frames) > 0 {
				if err := write(); err != nil {
					return err
				}
			}
		}
	}
}
