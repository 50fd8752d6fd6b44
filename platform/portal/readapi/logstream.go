package readapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/logs"
	"github.com/vedette-io/vedette/platform/portal/access"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/identity"
	"github.com/vedette-io/vedette/platform/portal/web"
)

// Bounds of streams of logs.
const (
	flushEvery = 50 * time.Millisecond
	flushLines = 200
	checkEvery = 30 * time.Second // interval at which the right to read the log is checked
	quietEvery = 15 * time.Second // interval of comments, which keep proxies from closing the connection
)

// logOrStream answers with a page of the log of a job, or follows it.
func logOrStream(r *reader, ctx context.Context, in *logsInput) (*api.LogPage, web.Follow, error) {
	if !in.Follow {
		page, err := readLog(r, ctx, in)
		return page, nil, err
	}
	if _, err := in.tail(); err != nil {
		return nil, nil, err
	}
	if _, err := openLog(r, ctx, in); err != nil {
		return nil, nil, err
	}
	return nil, func(ctx context.Context, events *web.Events) error { return followLog(r, ctx, in, events) }, nil
}

// tail returns the number of lines of each run of a container that a stream begins with;
// nil for all.
//
// Errors: *api.Problem.
func (in *logsInput) tail() (*int, error) {
	n := cmp.Or(in.Limit, defaultLines)
	switch in.Tail {
	case "":
		return &n, nil
	case "all":
		return nil, nil
	}
	n, err := strconv.Atoi(in.Tail)
	if err != nil || n < 0 {
		return nil, web.Invalid("The tail is neither a number of lines nor all.", api.FieldProblem{Field: "tail", Message: "is neither a number nor all"})
	}
	return &n, nil
}

// followLog writes the lines of a log as they arrive, until the job has ended, the person loses
// the right, or the client disconnects. A client that does not read stops the reading from the
// node.
func followLog(r *reader, ctx context.Context, in *logsInput, events *web.Events) error {
	done, err := r.followers.Take(ctx, identity.Of(ctx).ID())
	if err != nil {
		return events.Send("problem", "", web.ProblemOf(ctx, err))
	}
	defer done()
	s, err := openLog(r, ctx, in)
	if err != nil {
		return events.Send("problem", "", web.ProblemOf(ctx, err))
	}
	o := s.options
	o.Follow = s.live && !in.Present
	if o.Tail, err = in.tail(); err != nil {
		return events.Send("problem", "", web.ProblemOf(ctx, err))
	}
	found := make(chan int, 1)
	o.Found = func(n int) { found <- n }
	var told *unread
	if c, err := parseLogCursor(in.After); in.After != "" && err == nil && !c.back {
		o.Tail, o.Since, told = nil, c.time(), &unread{c.at, c.n}
	}
	if s.unasked && in.After == "" {
		if err := events.Send("line", "", api.LogLine{Note: "The cluster cannot be asked, so only kept lines are shown."}); err != nil {
			return err
		}
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
	p := pump{found: found, lines: lines, events: events, bytes: in.Bytes, check: func() error {
		_, row, err := r.job(ctx, in.JobPath, "")
		if err == nil {
			err = mayRead(r, ctx, access.Logs, row)
		}
		return err
	}}
	if err := p.run(ctx); err != nil {
		return err
	}
	return endOfLog(ctx, failed, events)
}

// endOfLog writes the last event of a stream. failed is the error of the lines; nil at their
// end.
func endOfLog(ctx context.Context, failed error, events *web.Events) error {
	var none *logs.NoLogsError
	var request *kube.RequestError
	var end api.LogEnd
	switch {
	case failed == nil, ctx.Err() != nil:
	case errors.As(failed, &none):
		end = api.LogEnd{Nothing: none.Error(), Attempts: none.Attempts, Waits: none.Waits != ""}
	case errors.As(failed, &request):
		if err := events.Send("line", "", api.LogLine{Note: unanswered}); err != nil {
			return err
		}
	default:
		return events.Send("problem", "", web.ProblemOf(ctx, failed))
	}
	return events.Send("end", "", end)
}

// pump writes the lines of a log as events.
type pump struct {
	found  <-chan int // the number of logs, before the first line
	lines  <-chan logs.Line
	events *web.Events
	bytes  bool         // of lines that are not UTF-8
	check  func() error // checks whether the person may still read the log

	frames [][]byte
	wrote  time.Time
}

// errEnded ends a stream after its last event.
var errEnded = errors.New("readapi: the stream has its last event")

// run writes lines in groups until the channel is closed.
func (p *pump) run(ctx context.Context) error {
	flush := time.NewTicker(flushEvery)
	defer flush.Stop()
	checked := time.Now()
	p.wrote = checked
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case n := <-p.found:
			if err := p.add("found", api.LogsFound{Logs: n}); err != nil {
				return err
			}
		case l, open := <-p.lines:
			if !open {
				return p.write()
			}
			if err := p.line(&l); err != nil {
				return err
			}
		case now := <-flush.C:
			if now.Sub(checked) >= checkEvery {
				var denied *api.Problem
				if errors.As(p.check(), &denied) && denied.Status < 500 {
					return errors.Join(p.events.Send("rights", "", struct{}{}), errEnded)
				}
				checked = now
			}
			if err := p.flush(now); err != nil {
				return err
			}
		}
	}
}

// line adds a line. The number of logs, which is known before it, goes first.
func (p *pump) line(l *logs.Line) error {
	select {
	case n := <-p.found:
		if err := p.add("found", api.LogsFound{Logs: n}); err != nil {
			return err
		}
	default:
	}
	line := lineOf(l)
	line.PodUID, line.Restart = l.PodUID, l.Restart
	if p.bytes && !utf8.ValidString(l.Text) {
		line.Bytes = []byte(l.Text)
	}
	return p.add("line", line)
}

// add adds an event, and writes the buffer if it is large.
func (p *pump) add(event string, data any) error {
	text, err := json.Marshal(data)
	if err != nil {
		return err
	}
	if p.frames = append(p.frames, web.Frame(event, "", text)); len(p.frames) < flushLines {
		return nil
	}
	return p.write()
}

// flush writes the buffer, or a comment if nothing was written for a while.
func (p *pump) flush(now time.Time) error {
	if len(p.frames) == 0 && now.Sub(p.wrote) < quietEvery {
		return nil
	}
	if len(p.frames) == 0 {
		p.frames = append(p.frames, []byte(": quiet\n\n"))
	}
	return p.write()
}

func (p *pump) write() error {
	err := p.events.Write(p.frames...)
	p.frames, p.wrote = p.frames[:0], time.Now()
	return err
}
