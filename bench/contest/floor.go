package contest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"

	"github.com/vedette-io/vedette/bench/workload"
)

// floor is no cache: it shows what the others cannot go below. It reads a streaming list,
// and then events, from the socket, copies each frame once, and knows nothing of its
// contents.
type floor struct {
	url, accept string
	next        func(*bufio.Reader, []byte) ([]byte, error) // reads the next frame
	bookmark    []byte                                      // begins the frame of a bookmark, after skip bytes
	skip        int
	each        func(frame []byte) error // is called for each frame with an object, in order
	ends        bool                     // it ends after the list
	synced      chan struct{}
	n           atomic.Int64 // objects of the list
	pairs       [][2][]byte  // an object and the one before it, of every floorSample objects
}

// floorSample is the number of objects for each pair.
const floorSample = 100

// openFloor prepares a floor for each kind. Its handlers read at most the stamp of the new
// object, from the bytes.
func openFloor(env Env) (Cache, error) {
	for _, h := range env.Handlers {
		if h.Reads == ReadBoth {
			return nil, errors.New("floor keeps no old objects: floor-decoded does")
		}
	}
	var all floors
	for _, k := range env.Kinds {
		f, err := newFloor(&env, k)
		if err != nil {
			return nil, err
		}
		f.each, f.ends = tellAll(env.Handlers), len(env.Handlers) == 0
		all = append(all, f)
	}
	return all, nil
}

// newFloor returns a floor for one kind.
func newFloor(env *Env, k workload.Kind) (*floor, error) {
	query := "?watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan"
	f := &floor{url: env.URL + k.Path() + query, synced: make(chan struct{})}
	switch env.Encoding {
	case workload.Protobuf: // a bookmark begins with the tag and the length of its type
		f.accept, f.next, f.bookmark, f.skip = "application/vnd.kubernetes.protobuf;stream=watch", readFrame, []byte("BOOKMARK"), 2
	case workload.JSON:
		f.accept, f.next, f.bookmark = "application/json", readLine, []byte(`{"type":"BOOKMARK"`)
	default:
		return nil, fmt.Errorf("floor does not read %s", env.Encoding)
	}
	return f, nil
}

// Run implements Cache.
func (f *floor) Run(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.url, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", f.accept)
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the server answered %s", answer.Status)
	}
	body := bufio.NewReaderSize(answer.Body, 64<<10)
	var last, frame []byte
	for synced := false; ; {
		last = last[:0]
		last, frame = frame, last
		if frame, err = f.next(body, frame); err != nil {
			return endOf(ctx, err)
		}
		if bytes.HasPrefix(frame[min(f.skip, len(frame)):], f.bookmark) {
			if synced {
				continue
			}
			synced = true
			close(f.synced)
			if f.ends {
				<-ctx.Done()
				return nil
			}
			continue
		}
		if !synced && f.n.Add(1)%floorSample == 0 {
			f.pairs = append(f.pairs, [2][]byte{slices.Clone(last), slices.Clone(frame)})
		}
		if err := f.each(frame); err != nil {
			return err
		}
	}
}

// readFrame copies the next frame into a buffer, which it may replace.
func readFrame(body *bufio.Reader, into []byte) ([]byte, error) {
	length, err := body.Peek(4)
	if err != nil {
		return into, err
	}
	n := int(binary.BigEndian.Uint32(length))
	if _, err := body.Discard(4); err != nil {
		return into, err
	}
	into = slices.Grow(into[:0], n)[:n]
	_, err = io.ReadFull(body, into)
	return into, err
}

// readLine is readFrame for frames that end with a newline.
func readLine(body *bufio.Reader, into []byte) ([]byte, error) {
	into = into[:0]
	for {
		part, err := body.ReadSlice('\n')
		into = append(into, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return into, err
		}
	}
}

// tellAll returns a function that tells handlers about a frame. It recognizes the end and,
// if a handler reads it, the stamp.
func tellAll(handlers []Handler) func(frame []byte) error {
	return func(frame []byte) error {
		if len(handlers) == 0 {
			return nil
		}
		name := ""
		if bytes.Contains(frame[:min(200, len(frame))], []byte(workload.EndName)) {
			name = workload.EndName
		}
		for _, h := range handlers {
			sent := int64(0)
			if h.Reads == ReadNew {
				sent = stampIn(frame)
			}
			h.Told(name, sent)
		}
		return nil
	}
}

var stampKey = []byte(workload.StampKey)

// stampIn returns the stamp in a frame; zero if it has none.
func stampIn(frame []byte) int64 {
	at := bytes.Index(frame, stampKey)
	if at < 0 {
		return 0
	}
	sent := int64(0)
	for _, c := range frame[min(at+len(stampKey)+2, len(frame)):] { // after the tag and the length of the value
		if c < '0' || c > '9' {
			break
		}
		sent = sent*10 + int64(c-'0')
	}
	return sent
}

// endOf returns nil if the contest is over.
func endOf(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// Synced implements Cache.
func (f *floor) Synced() <-chan struct{} { return f.synced }

// Len implements Cache.
func (f *floor) Len() int { return int(f.n.Load()) }

// entropy estimates the bytes that the objects need.
func (f *floor) entropy() (float64, error) {
	each, err := entropyOf(f.pairs)
	return each * float64(f.Len()), err
}

// entropyOf returns the mean size of the second text of each pair, compressed by the
// strongest level of zstd with the first one as its dictionary.
func entropyOf(pairs [][2][]byte) (float64, error) {
	total := 0
	for _, pair := range pairs {
		n, err := compressed(pair[0], pair[1])
		if err != nil {
			return 0, err
		}
		total += n
	}
	return float64(total) / float64(max(len(pairs), 1)), nil
}

// compressed returns the size of a text, compressed with another one as the dictionary.
func compressed(dictionary, text []byte) (int, error) {
	options := []zstd.EOption{zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderCRC(false), zstd.WithEncoderConcurrency(1)}
	if len(dictionary) > 0 {
		options = append(options, zstd.WithEncoderDictRaw(1, dictionary))
	}
	e, err := zstd.NewWriter(nil, options...)
	if err != nil {
		return 0, err
	}
	return len(e.EncodeAll(text, nil)), e.Close()
}

// floors are several floors in one process.
type floors []*floor

// Run implements Cache.
func (f floors) Run(ctx context.Context) error {
	return runAll(ctx, func(yield func(Cache) bool) {
		for _, one := range f {
			if !yield(one) {
				return
			}
		}
	})
}

// Synced implements Cache.
func (f floors) Synced() <-chan struct{} {
	var all []<-chan struct{}
	for _, one := range f {
		all = append(all, one.synced)
	}
	return whenAll(all)
}

// Len implements Cache.
func (f floors) Len() int {
	n := 0
	for _, one := range f {
		n += one.Len()
	}
	return n
}

// entropy is that of all.
func (f floors) entropy() (total float64, err error) {
	for _, one := range f {
		n, err := one.entropy()
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}
