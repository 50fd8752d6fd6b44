package reflector

import (
	"hash/maphash"

	"github.com/vedette-io/vedette/wire"
)

// errRepeatedPage is the fault of a list that makes no progress.
var errRepeatedPage error = stalledError("the server sent a page of the list twice; restarting the list")

// errEmptyPage is the fault of an empty page that refers to a next page.
var errEmptyPage error = stalledError("the server sent a page without objects but with a token for another page")

// pages is the position in a paged list. The zero value is the position before the
// first page.
type pages struct {
	done  int                 // completed pages
	best  int                 // maximum of done in earlier attempts at the same list
	items int                 // objects on the current page
	first wire.Key            // key of the first object on it
	seen  map[uint64]struct{} // hashes of tokens and first objects of completed pages
	seed  maphash.Seed
}

// open begins a page.
func (p *pages) open(token string) {
	p.items = 0
	if token == "" || p.seen == nil {
		p.done, p.seen, p.seed = 0, map[uint64]struct{}{}, maphash.MakeSeed()
	}
}

// item counts an object of the page.
func (p *pages) item(key wire.Key) {
	if p.items++; p.items == 1 {
		p.first = key
	}
}

// close ends a page that has a successor, and reports whether the list has come further
// than in any earlier attempt.
//
// Errors: errEmptyPage, after which the list can continue; errRepeatedPage, after which
// it cannot, because each token and each object occurs in a list only once.
func (p *pages) close(token string) (further bool, err error) {
	if p.items == 0 {
		err = errEmptyPage
	} else if p.repeated(p.first) {
		return false, errRepeatedPage
	}
	if p.repeated(token) {
		return false, errRepeatedPage
	}
	p.done++
	if further = err == nil && p.done > p.best; further {
		p.best = p.done
	}
	return further, err
}

// repeated reports whether a token or a key occurred before in this list.
func (p *pages) repeated(what any) bool {
	var h uint64
	switch what := what.(type) {
	case string:
		h = maphash.Comparable(p.seed, what)
	case wire.Key:
		h = maphash.Comparable(p.seed, what)
	}
	_, known := p.seen[h]
	p.seen[h] = struct{}{}
	return known
}
