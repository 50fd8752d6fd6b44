package jobindex

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
)

// sortKey is the sort key of a list.
type sortKey int

const (
	bySubmitted sortKey = iota
	bySince
	byWaited
	byRan
	byGPUs
	byTries
	byState
	byName
	byQueue
	byOwner
	byNamespace
)

var sortKeys = map[string]sortKey{
	"submitted": bySubmitted, "since": bySince, "waited": byWaited, "ran": byRan, "gpus": byGPUs, "tries": byTries, "state": byState, "name": byName, "queue": byQueue,
	"owner": byOwner, "namespace": byNamespace,
}

// order is the order of a list.
type order struct {
	text string // as in the query
	key  sortKey
	down bool
}

// parseOrder reads the order of a query.
//
// Errors: ErrSort.
func parseOrder(text string) (o order, err error) {
	o.text = cmp.Or(text, "-submitted")
	word, down := strings.CutPrefix(o.text, "-")
	key, ok := sortKeys[word]
	if !ok {
		return o, fmt.Errorf("%w %q: want submitted, since, waited, ran, gpus, tries, name, state, queue, owner or namespace, with - before it for the opposite order", ErrSort, text)
	}
	o.key, o.down = key, down
	return o, nil
}

// texts reports whether the key is a text.
func (k sortKey) texts() bool { return k >= byName }

// timed reports whether the key of an open job grows with time.
func (k sortKey) timed() bool { return k == byWaited || k == byRan }

// cursor is a place in a list: the key and the ID of a row.
type cursor struct {
	key  int64  // of keys that are not texts
	text string // of keys that are texts
	id   int64
	at   int64 // the instant for which growing keys were computed
}

// encode returns the cursor of an order as text.
func (o order) encode(c cursor) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strings.Join([]string{o.text, strconv.FormatInt(c.at, 10), strconv.FormatInt(c.key, 10), strconv.FormatInt(c.id, 10), c.text}, " ")))
}

// maxCursor is the maximum length of a cursor.
const maxCursor = 2048

// decode is the inverse of encode.
//
// Errors: ErrCursor.
func (o order) decode(text string) (c cursor, err error) {
	if len(text) > maxCursor {
		return c, ErrCursor
	}
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return c, ErrCursor
	}
	parts := strings.SplitN(string(b), " ", 5)
	if len(parts) != 5 || parts[0] != o.text {
		return c, ErrCursor
	}
	for i, n := range []*int64{&c.at, &c.key, &c.id} {
		if *n, err = strconv.ParseInt(parts[i+1], 10, 64); err != nil {
			return c, ErrCursor
		}
	}
	if c.text = parts[4]; o.encode(c) != text {
		return c, ErrCursor
	}
	return c, nil
}

// spot is the place of a row while a page is selected. Texts other than names are ranks.
type spot struct {
	key  int64
	text string
	id   int64
	row  uint32
}

// compare compares places in ascending order.
func (s *spot) compare(o *spot) int {
	switch {
	case s.key != o.key:
		if s.key < o.key {
			return -1
		}
		return 1
	case s.text != o.text:
		if s.text < o.text {
			return -1
		}
		return 1
	}
	return cmp.Compare(s.id, o.id)
}

// keyer computes the keys of rows.
type keyer struct {
	t      *table
	reader *momentReader
	key    sortKey
	ranks  []int64 // of words, or of places
	sorted []string
	at     instant // of the keys
	buffer moment
}

func newKeyer(t *table, reader *momentReader, key sortKey, at instant) *keyer {
	k := &keyer{t: t, reader: reader, key: key, at: at}
	switch key {
	case byQueue:
		k.ranks, k.sorted = t.queues.order()
	case byOwner:
		k.ranks, k.sorted = t.owners.order()
	case byNamespace:
		var ranks []int64
		ranks, k.sorted = t.namespaces.order()
		for _, p := range t.places {
			k.ranks = append(k.ranks, ranks[p.namespace])
		}
	}
	return k
}

// spot sets the key of a row, which has a state at the instant of the list.
func (k *keyer) spot(row uint32, code uint8, to *spot) {
	t := k.t
	to.row, to.id = row, t.id[row]
	switch k.key {
	case bySubmitted:
		to.key = t.submitted[row]
	case bySince:
		if to.key = t.since[row]; k.changed(row) {
			to.key = k.moment(row).since
		}
	case byWaited:
		if to.key = t.waited[row]; t.last[row] != 0 || k.changed(row) {
			to.key = k.moment(row).waited
		}
	case byRan:
		if to.key = t.ran[row]; t.last[row] != 0 || k.changed(row) {
			to.key = k.moment(row).ran
		}
	case byGPUs:
		to.key = int64(t.gpus[row])
	case byTries:
		if to.key = int64(t.triesOf(row)); k.changed(row) {
			to.key = int64(k.moment(row).tries)
		}
	case byState:
		to.key = int64(code)
	case byName:
		to.text = t.nameOnly(row)
	case byQueue:
		to.key = k.ranks[t.queue[row]]
	case byOwner:
		to.key = k.ranks[t.owner[row]]
	case byNamespace:
		to.key = k.ranks[t.columns.place[row]]
	}
}

// changed reports whether a job has changed its state since the instant of the list.
func (k *keyer) changed(row uint32) bool { return k.at.past && k.t.since[row] > k.at.at }

func (k *keyer) moment(row uint32) *moment {
	k.reader.read(row, k.at, &k.buffer)
	return &k.buffer
}

// cursor returns the cursor of a place.
func (k *keyer) cursor(s *spot) cursor {
	c := cursor{key: s.key, text: s.text, id: s.id}
	if k.key.timed() {
		c.at = k.at.at
	}
	if k.key.texts() && k.key != byName {
		c.key, c.text = 0, k.sorted[(s.key-1)/2]
	}
	return c
}

// place returns the place of a cursor, which need not belong to a row.
func (k *keyer) place(c cursor) spot {
	s := spot{key: c.key, text: c.text, id: c.id}
	if k.key.texts() && k.key != byName {
		s.key, s.text = rank(k.sorted, c.text), ""
	}
	return s
}
