package joblog

import (
	"encoding/binary"
	"errors"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// A chunk has at most chunkBytes of text and chunkLines lines, or one line.
const (
	chunkBytes = 64 << 10
	chunkLines = 4096
)

// room is the capacity of a chunk.
type room struct{ bytes, lines int }

// maxChunk is the maximum size of a chunk before compression, in bytes. It prevents a
// damaged chunk from allocating all memory.
const maxChunk = chunkBytes + maxRedact + 20*chunkLines + 1024

// coder compresses chunks. Its two halves have no goroutines.
var coder = sync.OnceValue(func() (c struct {
	*zstd.Encoder
	*zstd.Decoder
},
) {
	// The constructors fail only for invalid options.
	c.Encoder, _ = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(2), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(256<<10))
	c.Decoder, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxMemory(maxChunk))
	return c
})

// pack returns entries as the data of a chunk: the number of lines, the difference of each
// time from the previous one, the length of each text, and the texts; all compressed.
func pack(all []entry) []byte {
	size := 0
	for _, e := range all {
		size += len(e.text) + 12
	}
	raw := binary.AppendUvarint(make([]byte, 0, size+16), uint64(len(all)))
	last := int64(0)
	for _, e := range all {
		raw = binary.AppendVarint(raw, e.at-last)
		last = e.at
	}
	for _, e := range all {
		raw = binary.AppendUvarint(raw, uint64(len(e.text)))
	}
	for _, e := range all {
		raw = append(raw, e.text...)
	}
	return coder().EncodeAll(raw, nil)
}

// errDamaged is the error of invalid chunk data.
var errDamaged = errors.New("kept logs: a chunk of a log is damaged")

// unpack is the inverse of pack.
func unpack(data []byte) ([]entry, error) {
	raw, err := coder().DecodeAll(data, nil)
	if err != nil {
		return nil, errDamaged
	}
	n, raw, ok := number(raw)
	if !ok || n > uint64(len(raw)) {
		return nil, errDamaged
	}
	all := make([]entry, n)
	last := int64(0)
	for i := range all {
		step, size := binary.Varint(raw)
		if size <= 0 {
			return nil, errDamaged
		}
		last += step
		all[i].at, raw = last, raw[size:]
	}
	lengths := make([]uint64, n)
	for i := range lengths {
		if lengths[i], raw, ok = number(raw); !ok {
			return nil, errDamaged
		}
	}
	text := string(raw)
	for i, length := range lengths {
		if length > uint64(len(text)) {
			return nil, errDamaged
		}
		all[i].text, text = text[:length], text[length:]
	}
	if text != "" {
		return nil, errDamaged
	}
	return all, nil
}

// number reads a number, and returns the remaining bytes.
func number(raw []byte) (n uint64, rest []byte, ok bool) {
	n, size := binary.Uvarint(raw)
	if size <= 0 {
		return 0, nil, false
	}
	return n, raw[size:], true
}

// split splits entries into parts that each fit into a chunk.
func (r room) split(all []entry) (parts [][]entry) {
	from, size := 0, 0
	for i, e := range all {
		if i > from && (size+len(e.text) > r.bytes || i-from == r.lines) {
			parts = append(parts, all[from:i])
			from, size = i, 0
		}
		size += len(e.text)
	}
	if from < len(all) {
		parts = append(parts, all[from:])
	}
	return parts
}

// textBytes returns the total length of the texts.
func textBytes(all []entry) (n int64) {
	for _, e := range all {
		n += int64(len(e.text))
	}
	return n
}

// own copies texts that point into a larger text, before they are kept for a long time.
func own(all []entry) []entry {
	for i := range all {
		all[i].text = strings.Clone(all[i].text)
	}
	return all
}
