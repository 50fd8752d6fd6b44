package serve

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"sync"
	"syscall"

	"github.com/vedette-io/vedette/bench/workload"
)

// bank has encoded objects, one after the other, in a mapped file without a name.
type bank struct {
	data []byte
	at   []int64 // the offset of each object, and the end of the last
}

// chunk is the number of objects that are encoded at a time.
const chunk = 256

// fill encodes n objects.
func fill(n int, encode func(i int) ([]byte, error)) (*bank, error) {
	file, err := os.CreateTemp("", "vedette-bench-*")
	if err != nil {
		return nil, err
	}
	defer file.Close() // the mapping remains
	if err := os.Remove(file.Name()); err != nil {
		return nil, err
	}
	b := &bank{at: make([]int64, 1, n+1)}
	out := bufio.NewWriterSize(file, 1<<20)
	workers := runtime.GOMAXPROCS(0)
	for from := 0; from < n; from += workers * chunk {
		bodies, err := encodeRun(from, min(n, from+workers*chunk), workers, encode)
		if err != nil {
			return nil, err
		}
		for _, body := range bodies {
			if _, err := out.Write(body); err != nil {
				return nil, err
			}
			b.at = append(b.at, b.at[len(b.at)-1]+int64(len(body)))
		}
	}
	if err := out.Flush(); err != nil {
		return nil, err
	}
	size := b.at[len(b.at)-1]
	if size == 0 {
		return b, nil
	}
	b.data, err = syscall.Mmap(int(file.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED|syscall.MAP_POPULATE)
	if err != nil {
		return nil, fmt.Errorf("map %d bytes of encoded objects: %w", size, err)
	}
	return b, nil
}

// encodeRun encodes the objects of a range on several goroutines.
func encodeRun(from, to, workers int, encode func(i int) ([]byte, error)) ([][]byte, error) {
	bodies := make([][]byte, to-from)
	errs := make([]error, workers)
	var work sync.WaitGroup
	for w := range workers {
		work.Go(func() {
			for i := from + w; i < to && errs[w] == nil; i += workers {
				bodies[i-from], errs[w] = encode(i)
			}
		})
	}
	work.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return bodies, nil
}

// body returns the i-th object. The caller must not change it.
func (b *bank) body(i int) []byte { return b.data[b.at[i]:b.at[i+1]] }

func (b *bank) len() int { return len(b.at) - 1 }

// mean returns the mean length of an object.
func (b *bank) mean() int { return len(b.data) / max(b.len(), 1) }

func (b *bank) close() {
	if b.data != nil {
		_ = syscall.Munmap(b.data)
	}
}

// stamps are the objects after a change, with the places of the digits that are written
// when they are sent. The last one ends the churn.
type stamps struct {
	*bank
	places []workload.Stamp
}

func fillStamps(k workload.Kind, f workload.Form, seed uint64, n int) (*stamps, error) {
	s := &stamps{places: make([]workload.Stamp, n+1)}
	var err error
	s.bank, err = fill(n+1, func(i int) ([]byte, error) {
		index := i
		if i == n {
			index = workload.EndIndex
		}
		body, err := f.Body(k, k.Stamped(seed, index))
		if err == nil {
			s.places[i], err = workload.StampOf(body)
		}
		return body, err
	})
	return s, err
}

// appendBody appends a stamped object, with its digits.
func (s *stamps) appendBody(dst []byte, i int, version uint64, sent int64) []byte {
	from := len(dst)
	dst = append(dst, s.body(i)...)
	s.places[i].Write(dst[from:], version, sent)
	return dst
}
