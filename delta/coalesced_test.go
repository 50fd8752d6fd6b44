package delta_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/wire"
)

var errFailed = errors.New("failed")

// script plays lines against a queue, in fake time, and logs what the consumers
// see:
//
//	add|update|delete|sync KEY UID VERSION
//	bookmark VERSION
//	replace VERSION [KEY/UID/VERSION]...
//	take               a consumer pops, and holds on to what it gets
//	done|fail|panic KEY  it is through with it; the key of a barrier is |
//	close, len, synced
type script struct {
	t    *testing.T
	q    *delta.Coalesced
	work sync.WaitGroup
	log  []string
	held map[string]chan string
}

func record(key, uid string, version int) wire.Record {
	return wire.Record{Key: wire.Key{Name: key}, UID: uid, Version: wire.Version(version), Body: make([]byte, 10)}
}

// show writes an entry as "Kind uid@version", with ">v" where the version that
// is reached is another one, and "#e" with its epoch.
func show(e delta.Entry) string {
	s := e.Kind.String()
	if e.Missed {
		s += "(missed)"
	}
	if e.Record.Name != "" {
		s += fmt.Sprintf(" %s@%d", e.Record.UID, e.Record.Version)
	}
	if e.Version != e.Record.Version {
		s += fmt.Sprintf(">%d", e.Version)
	}
	if e.Epoch > 0 {
		s += fmt.Sprintf("#%d", e.Epoch)
	}
	return s
}

func showAll(key wire.Key, l []delta.Entry) string {
	name := key.Name
	if key == (wire.Key{}) {
		name = "|"
	}
	var parts []string
	for _, e := range l {
		parts = append(parts, show(e))
	}
	return name + ": " + strings.Join(parts, ", ")
}

// put starts a call that may wait, and logs if it does or fails.
func (s *script) put(line string, call func(context.Context) error) {
	var err error
	returned := false
	s.work.Go(func() {
		err = call(s.t.Context())
		returned = true
	})
	synctest.Wait()
	switch {
	case !returned:
		s.log = append(s.log, line+" waits")
	case err != nil:
		s.log = append(s.log, line+": "+err.Error())
	}
}

func (s *script) take() {
	s.work.Go(func() {
		err := recovered(func() error {
			return s.q.Pop(s.t.Context(), func(key wire.Key, l []delta.Entry) error {
				line := showAll(key, l)
				s.log = append(s.log, line)
				name, _, _ := strings.Cut(line, ":")
				if s.held[name] != nil {
					s.t.Errorf("two have %s", name)
				}
				outcome := make(chan string)
				s.held[name] = outcome
				defer delete(s.held, name)
				switch <-outcome {
				case "fail":
					return errFailed
				case "panic":
					panic(errFailed)
				}
				return nil
			})
		})
		if err != nil && !errors.Is(err, errFailed) {
			s.log = append(s.log, err.Error())
		}
	})
	synctest.Wait()
}

func (s *script) play(line string) {
	word := strings.Fields(line)
	number := func(i int) (n int) { _, _ = fmt.Sscan(word[i], &n); return n }
	rec := func() wire.Record { return record(word[1], word[2], number(3)) }
	switch word[0] {
	case "add":
		s.put(line, func(ctx context.Context) error { return s.q.Add(ctx, rec()) })
	case "update":
		s.put(line, func(ctx context.Context) error { return s.q.Update(ctx, rec()) })
	case "delete":
		s.put(line, func(ctx context.Context) error { return s.q.Delete(ctx, rec()) })
	case "sync":
		s.put(line, func(ctx context.Context) error { return s.q.Resync(ctx, slices.Values([]wire.Record{rec()})) })
	case "bookmark":
		s.put(line, func(ctx context.Context) error { return s.q.Bookmark(ctx, wire.Version(number(1))) })
	case "replace":
		var recs []wire.Record
		for _, w := range word[2:] {
			var version int
			part := strings.Split(w, "/")
			_, _ = fmt.Sscan(part[2], &version)
			recs = append(recs, record(part[0], part[1], version))
		}
		s.put(line, func(ctx context.Context) error { return s.q.Replace(ctx, recs, wire.Version(number(1))) })
	case "take":
		s.take()
	case "done", "fail", "panic":
		s.held[word[1]] <- word[0]
		synctest.Wait()
	case "close":
		s.q.Close()
		synctest.Wait()
	case "len":
		deltas, bytes := s.q.Len()
		s.log = append(s.log, fmt.Sprintf("len %d %d", deltas, bytes))
	case "synced":
		s.log = append(s.log, fmt.Sprintf("synced %v", s.q.HasSynced()))
	default:
		s.t.Fatalf("%q is no line", line)
	}
}

// drain takes what is left, one after the other, and looks that nothing stays.
func (s *script) drain() {
	for _, name := range []string{"a", "b", "c", "d", "|"} {
		if s.held[name] != nil {
			s.play("done " + name)
		}
	}
	s.q.Close()
	s.work.Wait()
	for {
		err := s.q.Pop(s.t.Context(), func(key wire.Key, l []delta.Entry) error {
			s.log = append(s.log, showAll(key, l))
			return nil
		})
		if err != nil {
			break
		}
	}
	if deltas, bytes := s.q.Len(); deltas != 0 || bytes != 0 {
		s.t.Errorf("an empty queue counts %d deltas, %d bytes", deltas, bytes)
	}
}

// play runs lines, separated by ";" or newlines, and compares the log.
func play(t *testing.T, limits delta.Limits, lines, want string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &script{t: t, q: delta.NewCoalesced(limits), held: map[string]chan string{}}
		split := func(text string) (lines []string) {
			for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ';' || r == '\n' }) {
				if line = strings.TrimSpace(line); line != "" {
					lines = append(lines, line)
				}
			}
			return lines
		}
		for _, line := range split(lines) {
			s.play(line)
		}
		s.drain()
		if w := split(want); !slices.Equal(s.log, w) {
			t.Errorf("log:\n\t%s\nwant:\n\t%s", strings.Join(s.log, "\n\t"), strings.Join(w, "\n\t"))
		}
	})
}

// TestCoalescedContextAndClose: every call ends with its context, and what puts
// ends with the queue.
func TestCoalescedContextAndClose(t *testing.T) {
	rec := record("a", "1", 1)
	calls := map[string]func(context.Context, *delta.Coalesced) error{
		"Add":      func(ctx context.Context, q *delta.Coalesced) error { return q.Add(ctx, rec) },
		"Update":   func(ctx context.Context, q *delta.Coalesced) error { return q.Update(ctx, rec) },
		"Delete":   func(ctx context.Context, q *delta.Coalesced) error { return q.Delete(ctx, rec) },
		"Bookmark": func(ctx context.Context, q *delta.Coalesced) error { return q.Bookmark(ctx, 1) },
		"Replace":  func(ctx context.Context, q *delta.Coalesced) error { return q.Replace(ctx, []wire.Record{rec}, 1) },
		"Replace by nothing": func(ctx context.Context, q *delta.Coalesced) error {
			return q.Replace(ctx, nil, 1)
		},
		"Resync": func(ctx context.Context, q *delta.Coalesced) error {
			return q.Resync(ctx, slices.Values([]wire.Record{record("c", "1", 1)}))
		},
		"Pop": func(ctx context.Context, q *delta.Coalesced) error {
			return q.Pop(ctx, func(wire.Key, []delta.Entry) error { return nil })
		},
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cause := errors.New("enough")
				done, cancel := context.WithCancelCause(t.Context())
				cancel(cause)
				full := delta.NewCoalesced(delta.Limits{Deltas: 1})
				if name != "Pop" {
					if err := full.Add(t.Context(), record("b", "1", 1)); err != nil {
						t.Fatal(err)
					}
				}
				if err := call(done, delta.NewCoalesced(delta.Limits{})); !errors.Is(err, cause) {
					t.Errorf("with a context that is done: %v", err)
				}
				for _, end := range []string{"context", "close"} {
					ctx, cancel := context.WithCancelCause(t.Context())
					returned := make(chan error, 1)
					go func() { returned <- call(ctx, full) }()
					synctest.Wait()
					select {
					case err := <-returned:
						t.Fatalf("it did not wait: %v", err)
					default:
					}
					want := cause
					if end == "close" {
						full.Close()
						want = delta.ErrClosed
					} else {
						cancel(cause)
					}
					if err := <-returned; !errors.Is(err, want) {
						t.Errorf("ended by %s: %v", end, err)
					}
					cancel(nil)
				}
				if err := call(t.Context(), full); !errors.Is(err, delta.ErrClosed) {
					t.Errorf("on a closed queue: %v", err)
				}
			})
		})
	}
}

// TestResyncOvertaken: a Sync that waits for room must not come after the newer
// state that there was room for.
func TestResyncOvertaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := delta.NewCoalesced(delta.Limits{Bytes: 25})
		large := record("a", "1", 1)
		large.Body = make([]byte, 20)
		var work sync.WaitGroup
		if err := q.Add(t.Context(), record("b", "2", 1)); err != nil {
			t.Fatal(err)
		}
		work.Go(func() {
			if err := q.Resync(t.Context(), slices.Values([]wire.Record{large})); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		if err := q.Update(t.Context(), record("a", "1", 2)); err != nil {
			t.Fatal(err)
		}
		work.Wait()
		if deltas, _ := q.Len(); deltas != 2 {
			t.Errorf("%d deltas, want those of Add and Update", deltas)
		}
	})
}

// TestReplaceSparesWhatIsNewer: what comes while a list waits for room is not in
// the list, and is there.
func TestReplaceSparesWhatIsNewer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := delta.NewCoalesced(delta.Limits{Bytes: 25})
		large, empty := record("b", "2", 2), record("c", "3", 8)
		large.Body, empty.Body = make([]byte, 20), nil
		var work sync.WaitGroup
		work.Go(func() {
			if err := q.Replace(t.Context(), []wire.Record{record("a", "1", 1), large}, 9); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait() // a is in, b waits for room
		if err := q.Update(t.Context(), empty); err != nil {
			t.Fatal(err)
		}
		var log []string
		for range 4 {
			if err := q.Pop(t.Context(), func(key wire.Key, l []delta.Entry) error {
				log = append(log, showAll(key, l))
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			synctest.Wait() // after a, the rest of the list comes in
		}
		want := []string{"a: Replaced 1@1#1", "c: Updated 3@8#1", "b: Replaced 2@2#1", "|: ReplacedEnd>9#1"}
		if !slices.Equal(log, want) {
			t.Errorf("log: %q, want %q", log, want)
		}
		work.Wait()
	})
}

// TestCoalescedAllocates holds what a key costs: its item with its place in the
// order, and its list.
func TestCoalescedAllocates(t *testing.T) {
	q := delta.NewCoalesced(delta.Limits{})
	rec := record("a", "1", 1)
	process := func(wire.Key, []delta.Entry) error { return nil }
	allocs := testing.AllocsPerRun(1000, func() {
		if err := q.Add(t.Context(), rec); err != nil {
			t.Fatal(err)
		}
		if err := q.Pop(t.Context(), process); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > 5 {
		t.Errorf("%v allocations for a key", allocs)
	}
}

func TestEntryKindsHaveNames(t *testing.T) {
	for kind, want := range map[delta.EntryKind]string{
		delta.Added: "Added", delta.Updated: "Updated", delta.Deleted: "Deleted", delta.Replaced: "Replaced", delta.Sync: "Sync",
		delta.Bookmarked: "Bookmarked", delta.ReplacedEnd: "ReplacedEnd", 99: "EntryKind(99)",
	} {
		if got := kind.String(); got != want {
			t.Errorf("%d is %q, want %q", kind, got, want)
		}
	}
}
