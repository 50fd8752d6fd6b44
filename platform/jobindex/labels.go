package jobindex

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
)

// labelKind is the form of a label's value. Operators give jobs labels with their own
// names and UIDs. Stored as references, these labels are the same for all jobs.
type labelKind uint8

const (
	literal labelKind = iota
	isUID
	isName
)

// label is a label of jobs.
type label struct {
	name, value string
	kind        labelKind // value is empty for isUID and isName
}

// labelSets are the distinct sets of labels. Rows have their numbers. 0 is the empty set.
type labelSets struct {
	labels map[label]uint32
	pairs  []label
	codes  map[string]uint32
	keys   []string // of each set: the numbers of its labels, 4 bytes each
	varied []bool   // whether a set has a label that is not literal
	bytes  int64
	buffer []byte
	order  []label
}

func newLabelSets() *labelSets {
	return &labelSets{labels: map[label]uint32{}, codes: map[string]uint32{"": 0}, keys: []string{""}, varied: []bool{false}}
}

// code returns the number of the set of labels of a job.
func (s *labelSets) code(labels map[string]string, name, uid string) uint32 {
	if len(labels) == 0 {
		return 0
	}
	s.order = s.order[:0]
	varied := false
	for key, value := range labels {
		l := label{name: key, value: value}
		switch value {
		case "":
		case uid:
			l.value, l.kind, varied = "", isUID, true
		case name:
			l.value, l.kind, varied = "", isName, true
		}
		s.order = append(s.order, l)
	}
	slices.SortFunc(s.order, func(x, y label) int { return cmp.Compare(x.name, y.name) })
	s.buffer = s.buffer[:0]
	for _, l := range s.order {
		s.buffer = binary.LittleEndian.AppendUint32(s.buffer, s.pair(l))
	}
	c, ok := s.codes[string(s.buffer)]
	if !ok {
		key := string(s.buffer)
		c = uint32(len(s.keys))
		s.codes[key], s.keys, s.varied = c, append(s.keys, key), append(s.varied, varied)
		s.bytes += int64(len(key)) + wordBytes
	}
	return c
}

func (s *labelSets) pair(l label) uint32 {
	c, ok := s.labels[l]
	if !ok {
		l.name, l.value = strings.Clone(l.name), strings.Clone(l.value)
		c = uint32(len(s.pairs))
		s.labels[l], s.pairs = c, append(s.pairs, l)
		s.bytes += int64(len(l.name)+len(l.value)) + 2*wordBytes
	}
	return c
}

// each calls f for the numbers of the labels of a set.
func (s *labelSets) each(set uint32, f func(pair uint32)) {
	for key := s.keys[set]; key != ""; key = key[4:] {
		f(uint32(key[0]) | uint32(key[1])<<8 | uint32(key[2])<<16 | uint32(key[3])<<24)
	}
}

// valueFor returns the value of a label of a job.
func (l *label) valueFor(name, uid string) string {
	switch l.kind {
	case isUID:
		return uid
	case isName:
		return name
	}
	return l.value
}

// of returns the labels of a job; nil if it has none.
func (s *labelSets) of(set uint32, name, uid string) map[string]string {
	if set == 0 {
		return nil
	}
	all := make(map[string]string, len(s.keys[set])/4)
	s.each(set, func(pair uint32) {
		l := &s.pairs[pair]
		all[l.name] = l.valueFor(name, uid)
	})
	return all
}
