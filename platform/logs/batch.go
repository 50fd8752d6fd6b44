package logs

import "context"

// Limits of a batch. One full batch of a log may wait while the next batch is filled.
const (
	batchLines = 256
	batchBytes = 64 << 10
)

// batch collects lines of one log, and sends them together.
type batch struct {
	out   chan<- []Line
	lines []Line
	bytes int
}

// add adds a line, which is sent immediately or with the next ones. It waits while the
// reader of the lines is behind.
//
// Errors: the cause of ctx.
func (b *batch) add(ctx context.Context, l Line) error {
	b.lines = append(b.lines, l)
	b.bytes += len(l.Text)
	if len(b.lines) < batchLines && b.bytes < batchBytes {
		return nil
	}
	return b.flush(ctx)
}

// flush sends the collected lines.
//
// Errors: the cause of ctx.
func (b *batch) flush(ctx context.Context) error {
	if len(b.lines) == 0 {
		return nil
	}
	select {
	case b.out <- b.lines:
		b.lines, b.bytes = nil, 0
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
