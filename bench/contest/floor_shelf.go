package contest

import (
	"bytes"
	"context"
	"sync/atomic"

	"github.com/vedette-io/vedette/bench/workload"
)

// floorShelf is no store: it shows what the others cannot go below. It keeps a copy of each
// body behind a pointer, without locks, and knows nothing of its contents. It has no
// snapshots: a list mixes old and new bodies.
type floorShelf struct {
	pods [][]byte // encoded as on the wire, prepared in advance
	keys []string

	bodies map[string]*atomic.Pointer[[]byte] // complete after Fill
	size   int64
}

func newFloorShelf(k workload.Kind, n int) (Shelf, error) {
	s := &floorShelf{bodies: make(map[string]*atomic.Pointer[[]byte], n)}
	for i := range n {
		obj := k.New(0, i)
		body, err := workload.Form{Encoding: workload.Protobuf}.Body(k, obj)
		if err != nil {
			return nil, err
		}
		s.pods, s.keys = append(s.pods, body), append(s.keys, obj.GetNamespace()+"/"+obj.GetName())
	}
	return s, nil
}

// Fill implements Shelf.
func (s *floorShelf) Fill(ctx context.Context) error {
	for i, body := range s.pods {
		s.bodies[s.keys[i]] = new(atomic.Pointer[[]byte])
		s.size += int64(len(body))
		if err := s.Put(ctx, i, 0); err != nil {
			return err
		}
	}
	return nil
}

// Put implements Shelf.
func (s *floorShelf) Put(_ context.Context, i int, _ uint64) error {
	body := bytes.Clone(s.pods[i])
	s.bodies[s.keys[i]].Store(&body)
	return nil
}

// List implements Shelf.
func (s *floorShelf) List() int {
	n := 0
	for _, body := range s.bodies {
		if len(*body.Load()) > 0 {
			n++
		}
	}
	return n
}

// Own implements Shelf.
func (s *floorShelf) Own() int64 { return s.size }
