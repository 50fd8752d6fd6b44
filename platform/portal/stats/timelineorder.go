package stats

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/jobindex"
)

// ErrCursor is returned for a cursor of another order, ErrOrder for an unknown order or group,
// and ErrWindow for a window without a duration.
var (
	ErrCursor = errors.New("the cursor does not belong to this timeline")
	ErrOrder  = errors.New("unknown order or group")
	ErrWindow = errors.New("the window ends before it begins")
)

// place is the position of a job in an order.
type place struct {
	Group  string
	Number int64
	Text   string
	ID     int64
}

// order is how the rows of a timeline are sorted: by group, then by a key, then by ID.
type order struct {
	group      func(*jobindex.Row) string
	key        func(*jobindex.Row) (int64, string)
	descending bool
	name       string
}

var groups = map[string]func(*jobindex.Row) string{
	"":        func(*jobindex.Row) string { return "" },
	"none":    func(*jobindex.Row) string { return "" },
	"cluster": func(r *jobindex.Row) string { return r.Cluster },
	"queue":   func(r *jobindex.Row) string { return r.Queue },
	"owner":   func(r *jobindex.Row) string { return r.Owner },
}

func byTime(at func(*jobindex.Row) time.Time) func(*jobindex.Row) (int64, string) {
	return func(r *jobindex.Row) (int64, string) { return at(r).UnixMicro(), "" }
}

func byNumber(n func(*jobindex.Row) int64) func(*jobindex.Row) (int64, string) {
	return func(r *jobindex.Row) (int64, string) { return n(r), "" }
}

func byText(text func(*jobindex.Row) string) func(*jobindex.Row) (int64, string) {
	return func(r *jobindex.Row) (int64, string) { return 0, text(r) }
}

// ranks are the ranks of states in the order of a job's life.
var ranks = func() map[job.State]int64 {
	ranks := map[job.State]int64{}
	for i, s := range job.States() {
		ranks[s] = int64(i) + 1
	}
	return ranks
}()

var keys = map[string]func(*jobindex.Row) (int64, string){
	"submitted": byTime(func(r *jobindex.Row) time.Time { return r.Submitted }),
	"since":     byTime(func(r *jobindex.Row) time.Time { return r.Since }),
	"waited":    byNumber(func(r *jobindex.Row) int64 { return int64(r.Waited) }),
	"ran":       byNumber(func(r *jobindex.Row) int64 { return int64(r.Ran) }),
	"gpus":      byNumber(func(r *jobindex.Row) int64 { return int64(r.GPUs) }),
	"tries":     byNumber(func(r *jobindex.Row) int64 { return int64(r.Tries) }),
	"state":     byNumber(func(r *jobindex.Row) int64 { return ranks[r.State] }),
	"name":      byText(func(r *jobindex.Row) string { return r.Name }),
	"queue":     byText(func(r *jobindex.Row) string { return r.Queue }),
	"owner":     byText(func(r *jobindex.Row) string { return r.Owner }),
	"namespace": byText(func(r *jobindex.Row) string { return r.Namespace }),
}

// orderOf returns the order of a sort ("submitted", "-gpus") and a group.
func orderOf(sort, group string) (o order, err error) {
	o.name = sort + " " + group
	name, descending := strings.CutPrefix(cmp.Or(sort, "submitted"), "-")
	o.descending = descending
	var ok, grouped bool
	o.key, ok = keys[name]
	o.group, grouped = groups[group]
	if !ok || !grouped {
		return o, ErrOrder
	}
	return o, nil
}

// place returns the position of a job.
func (o *order) place(r *jobindex.Row) place {
	p := place{Group: o.group(r), ID: r.ID}
	p.Number, p.Text = o.key(r)
	return p
}

func (o *order) compare(a, b *place) int {
	key := cmp.Or(cmp.Compare(a.Number, b.Number), strings.Compare(a.Text, b.Text))
	if o.descending {
		key = -key
	}
	return cmp.Or(strings.Compare(a.Group, b.Group), key, cmp.Compare(a.ID, b.ID))
}

// cursor returns the text of a place.
type cursor struct {
	Order string
	place
}

func (o *order) cursor(p place) string {
	text, err := json.Marshal(cursor{o.name, p})
	if err != nil {
		return "" // a place can always be encoded
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// after parses a cursor.
func (o *order) after(text string) (p place, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	var c cursor
	if err != nil || len(raw) > 4096 || json.Unmarshal(raw, &c) != nil || c.Order != o.name {
		return p, ErrCursor
	}
	return c.place, nil
}
