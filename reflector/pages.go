package reflector

import (
	"hash/maphash"

	"github.com/vedette-io/vedette/wire"
)

// errPageAgain is the fault of a list that does not get on.
var errPageAgain error = stalledError("the server sent a page of the list a second time; the list starts again")

// errEmptyPage is the fault of a page that only says that there are others.
var errEmptyPage error = stalledError("the server sent a page of the list without objects, and the token of another")

// pages is how far a list in pages has come. The zero value is one that has not
// begun.
type pages struct {
	done  int                 // pages that are complete
	best  int                 // the most that ever were, in earlier tries for the same list
	items int                 // objects on the current page
	first wire.Key            // the first of them
	seen  map[uint64]struct{} // hashes of the tokens and first objects of pages that are complete
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

// close ends a page behind which there is another, and reports whether the list has
// come further than ever before.
//
// Errors: errEmptyPage, behind which the list can go on; errPageAgain, behind which
// it cannot, as each token and each object is in a list once.
func (p *pages) close(token string) (further bool, err error) {
	if p.items == 0 {
		err = errEmptyPage
	} else if p.again(p.first) {
		return false, errPageAgain
	}
	if p.again(token) {
		return false, errPageAgain
	}
	p.done++
	if further = err == nil && p.done > p.best; further {
		p.best = p.done
	}
	return further, err
}

// again reports whether a token or a key came before in this list.
func (p *pages) again(what any) bool {
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
