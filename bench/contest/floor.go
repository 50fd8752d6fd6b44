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
	url     string
	handler *Handler // nil: it ends after the list
	synced  chan struct{}
	n       atomic.Int64 // objects of the list
	pairs   [][2][]byte  // an object and the one before it, of every floorSample objects
}

// floorSample is the number of objects for each pair.
const floorSample = 100

// openFloor prepares a floor for one kind in protobuf.
func openFloor(env Env) (Cache, error) {
	if len(env.Kinds) != 1 || len(env.Handlers) > 1 || len(env.Handlers) == 1 && env.Handlers[0].Reads == ReadBoth {
		return nil, errors.New("floor has one kind, and at most one handler, which reads no old object")
	}
	query := "?watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan"
	f := &floor{url: env.URL + env.Kinds[0].Path() + query, synced: make(chan struct{})}
	if len(env.Handlers) == 1 {
		f.handler = &env.Handlers[0]
	}
	return f, nil
}

// Run implements Cache.
func (f *floor) Run(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.url, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "application/vnd.kubernetes.protobuf;stream=watch")
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
		if frame, err = readFrame(body, frame); err != nil {
			return endOf(ctx, err)
		}
		switch bookmark := bytes.HasPrefix(frame[min(2, len(frame)):], []byte("BOOKMARK")); { // after the tag and the length of the type
		case bookmark && synced:
		case bookmark:
			synced = true
			close(f.synced)
			if f.handler == nil {
				<-ctx.Done()
				return nil
			}
		case synced:
			f.tell(frame)
		default:
			if f.n.Add(1)%floorSample == 0 {
				f.pairs = append(f.pairs, [2][]byte{slices.Clone(last), slices.Clone(frame)})
			}
			f.tell(frame)
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

// tell tells the handler about a frame. It recognizes the end and, if the handler reads it,
// the stamp.
func (f *floor) tell(frame []byte) {
	if f.handler == nil {
		return
	}
	name := ""
	if bytes.Contains(frame[:min(200, len(frame))], []byte(workload.EndName)) {
		name = workload.EndName
	}
	sent := int64(0)
	if f.handler.Reads == ReadNew {
		sent = stampIn(frame)
	}
	f.handler.Told(name, sent)
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

// entropy estimates the bytes that the objects need: the mean size of a sample, compressed
// by the strongest level of zstd with the object before it as its dictionary.
func (f *floor) entropy() (float64, error) {
	total := 0
	for _, pair := range f.pairs {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderDictRaw(1, pair[0]),
			zstd.WithEncoderCRC(false), zstd.WithEncoderConcurrency(1))
		if err != nil {
			return 0, err
		}
		total += len(e.EncodeAll(pair[1], nil))
	}
	return float64(total) / float64(max(len(f.pairs), 1)) * float64(f.Len()), nil
}
