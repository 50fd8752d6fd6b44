package clientgo

import (
	"fmt"
	"reflect"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/compat/internal/hidden"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/internal/table"
)

// Row is what [Report] tells of one informer.
type Row struct {
	// Type is the type of the objects; the path of the requests if it is not known.
	Type string
	// Accelerated and Reason are as in Health.
	Accelerated bool
	Reason      string
	// Storage is that of Options.
	Storage informer.Storage
	// Objects is how many there are. RawBytes is their size as the server sent them,
	// HeldBytes the memory that holds them packed. Decoded of the objects are kept decoded,
	// which HeldBytes does not count: all with Live, and with Packed those that cost more to
	// pack than that saves. These numbers are zero if the informer is not accelerated.
	Objects, Decoded    int
	RawBytes, HeldBytes int64
	// Running is the time since the informer started.
	Running time.Duration
	// Decodes counts the objects that were decoded since then, PerMinute is how many of
	// them there were in a minute on average. Readers that find a decoded object do not
	// count.
	Decodes   uint64
	PerMinute float64
	// All reports that a Packed informer holds all objects decoded, because they are read so
	// often that decoding them again would take more CPU than client-go. It becomes false when
	// the reads become rare.
	All bool
	// Advice says in a few words what to change; "" for nothing.
	Advice string
}

// Table is a report: one row for each informer.
type Table []Row

const (
	// livePays is how many times a minute each object must be decoded before Live is
	// cheaper; see Report.
	livePays = 8
	// adviceAfter is how long an informer runs before it gets advice: the first list and
	// the first handlers decode more objects than later changes.
	adviceAfter = 10 * time.Minute
)

// Report returns what informers hold and decode, in the order of the arguments. It may be
// called at any time, and costs little.
//
// It advises informer.Live if a Packed informer holds all objects decoded, or if each object
// is decoded more than eight times a minute on average. Live costs memory, and Packed costs
// CPU. A machine has about 4 GiB for a core, so a byte that is held for a minute costs as
// much as 14 ns of CPU. A pod of 2.7 KB in protobuf takes 7 to 10 KB more in Live, depending
// on how much it shares with its siblings. That is worth 100 to 140 us a minute. To decode
// it takes 17 to 21 us of CPU, garbage collection included, so Live pays from 6 to 8
// decodes a minute. As an unstructured object it takes 30 KB more, and 33 to 38 us: 11 to
// 13 decodes. BenchmarkLive measures it.
//
// Rows of informers that are not of this package have a Reason.
func Report(informers ...cache.SharedIndexInformer) Table {
	t := make(Table, 0, len(informers))
	for _, inf := range informers {
		t = append(t, rowOf(inf))
	}
	return t
}

// rowOf returns the row of one informer.
func rowOf(inf cache.SharedIndexInformer) Row {
	h, ours := HealthOf(inf)
	r := Row{Accelerated: h.Accelerated, Reason: h.Reason, Objects: h.Stats.Objects}
	if !ours {
		r.Reason = "it is not an informer of this package"
	}
	if s, ok := inside(inf).(*shared); ok {
		r.Type, r.Storage, r.All = s.source.String(), s.opts.Storage, s.demand.all.Load()
		if began := s.began.Load(); began != nil {
			r.Running = time.Since(*began)
		}
	} else {
		r.Type = exampleType(inf)
	}
	if !r.Accelerated {
		r.Objects = len(inf.GetStore().ListKeys())
		return r
	}
	r.Decoded = h.Stats.Decoded
	r.RawBytes, r.HeldBytes, r.Decodes = h.Stats.RawBytes, h.Stats.HeldBytes, h.Stats.Decodes
	if minutes := r.Running.Minutes(); minutes > 0 {
		r.PerMinute = float64(r.Decodes) / minutes
	}
	r.Advice = r.advice()
	return r
}

// exampleType returns the type of the example object of an informer of client-go; "" if
// it is not known.
func exampleType(inf cache.SharedIndexInformer) string {
	inf = unwrap(inf)
	if s, ok := inf.(stock); ok {
		inf = unwrap(s.SharedIndexInformer)
	}
	v := reflect.ValueOf(inf)
	var example runtime.Object
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct || v.Elem().Type().PkgPath() != cachePath ||
		!hidden.Field(v.Elem(), "objectType", &example) || example == nil {
		return ""
	}
	return reflect.TypeOf(example).String()
}

// advice returns the recommended change of options; "" if there is none.
func (r Row) advice() string {
	switch {
	case r.Storage != informer.Packed || r.Running < adviceAfter || r.Objects == 0:
		return ""
	case r.All:
		return "Live: the objects are read so often that they are held decoded"
	case r.PerMinute > livePays*float64(r.Objects):
		return fmt.Sprintf("Live: each object is decoded %.0f times a minute", r.PerMinute/float64(r.Objects))
	}
	return ""
}

// String returns the report as text with aligned columns, and a line feed at the end of
// each row.
func (t Table) String() string {
	rows := [][]string{{"TYPE", "STORAGE", "OBJECTS", "DECODED", "HELD", "RAW", "DECODES", "A MINUTE", "ADVICE"}}
	for _, r := range t {
		row := []string{orDash(r.Type), storageName(r.Storage), strconv.Itoa(r.Objects), strconv.Itoa(r.Decoded), size(r.HeldBytes), size(r.RawBytes), strconv.FormatUint(r.Decodes, 10), strconv.FormatFloat(r.PerMinute, 'f', 1, 64), orDash(r.Advice)}
		if !r.Accelerated {
			row = []string{orDash(r.Type), "client-go", strconv.Itoa(r.Objects), "-", "-", "-", "-", "-", "not accelerated: " + r.Reason}
		}
		rows = append(rows, row)
	}
	return table.Lay(rows...)
}

// storageName returns the name of the constant.
func storageName(s informer.Storage) string {
	if s == informer.Live {
		return "Live"
	}
	return "Packed"
}

// orDash returns text, or a dash if it is empty.
func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// size returns a number of bytes with a unit.
func size(n int64) string {
	const unit = 1024
	if n < unit {
		return strconv.FormatInt(n, 10) + " B"
	}
	value, units := float64(n)/unit, "KMGT"
	for value >= unit && len(units) > 1 {
		value, units = value/unit, units[1:]
	}
	return fmt.Sprintf("%.1f %ciB", value, units[0])
}
