package reflector

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/wire"
)

var update = flag.Bool("update", false, "rewrite the answers in the scripts")

// TestMachine feeds the scripts of testdata to the machine. A line that begins with a
// word is an input; the line "-> …" below it is the answer of the machine. Run with
// -update to rewrite the answers, and read the diff.
func TestMachine(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts in testdata: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, string(text))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(text), got); diff != "" {
				t.Errorf("%s (-script +machine):\n%s", file, diff)
			}
		})
	}
}

// play runs one script and returns it with the machine's answers.
func play(t *testing.T, script string) string {
	cfg, err := Config{}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	var m *machine
	var out strings.Builder
	for line := range strings.Lines(script) {
		words := strings.Fields(line)
		if len(words) > 0 && words[0] == "->" {
			continue
		}
		out.WriteString(line)
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		var next action
		var d delta.Delta
		if words[0] == "start" {
			cfg.Streaming = PreferStreaming
			if slices.Contains(words, "pages-only") {
				cfg.Streaming = PagesOnly
			}
			m = newMachine(&cfg, func() float64 { return 0 })
			cfg.Lists = ListWhenNeeded
			if slices.Contains(words, "never-list") {
				cfg.Lists = NeverList
			}
			if slices.Contains(words, "end-if-restored") {
				cfg.Lists = EndIfRestored
			}
			if i := slices.Index(words, "resume"); i > 0 {
				v, err := wire.ParseVersion(words[i+1])
				if err != nil {
					t.Fatal(err)
				}
				m.resume(v)
			}
			next = m.start()
		} else {
			in, err := parseInput(words)
			if err != nil {
				t.Fatalf("the line %q of the script is bad: %v", strings.TrimSpace(line), err)
			}
			next, d = m.step(in)
		}
		fmt.Fprintf(&out, "-> %s\n", answer(m, next, d))
	}
	return out.String()
}

func answer(m *machine, a action, d delta.Delta) string {
	var parts []string
	switch d.Kind {
	case 0:
	case delta.Upsert, delta.Delete, delta.Keep:
		parts = append(parts, fmt.Sprintf("%v %v %v", d.Kind, d.Record.Key, d.Version))
	default:
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("%v %v", d.Kind, d.Version)))
	}
	switch {
	case a.kind == doWatch && a.initial:
		parts = append(parts, "streaming list")
	case a.kind == doWatch:
		parts = append(parts, "watch from "+a.version.String())
		if a.short {
			parts = append(parts, "short")
		}
	case a.kind == doList && m.state == openProbe:
		parts = append(parts, "probe")
	case a.kind == doList:
		parts = append(parts, fmt.Sprintf("list limit=%d token=%q", a.limit, a.token))
	case a.kind == doRead:
		parts = append(parts, fmt.Sprintf("read within %v", a.wait))
	case a.kind == doWait:
		parts = append(parts, fmt.Sprintf("wait %v", a.wait))
	case a.kind == doEnd:
		why := "?"
		switch {
		case errors.Is(a.err, ErrListNeeded):
			why = "a list is needed"
		case errors.Is(a.err, ErrRestored):
			why = "the server was restored"
		case errors.Is(a.err, ErrSourceEnded):
			why = "the source has ended"
		}
		parts = append(parts, "end: "+why)
	}
	state := m.health.Phase.String()
	if m.health.Fault != NoFault || m.health.Err != nil {
		state += ", " + m.health.Fault.String()
	}
	if m.health.Means != Watch {
		state += ", " + m.health.Means.String()
	}
	if m.health.Order == delta.ByArrival {
		state += ", by arrival"
	}
	if gap := m.health.LastGap; gap.From != 0 {
		state += ", gap " + gap.From.String() + "-" + gap.To.String()
	}
	return strings.Join(parts, "; ") + " [" + state + "]"
}

func parseInput(words []string) (*input, error) {
	opts := map[string]string{}
	for _, w := range words[1:] {
		if k, v, ok := strings.Cut(w, "="); ok {
			opts[k] = v
		}
	}
	in := &input{}
	if v, ok := opts["after"]; ok {
		d, err := time.ParseDuration(v)
		if err != nil {
			return nil, err
		}
		in.lasted, in.waited = d, d
	}
	arg := func(i int) string {
		if i < len(words) {
			return words[i]
		}
		return ""
	}
	events := map[string]wire.EventType{"bookmark": wire.Bookmark, "added": wire.Added, "modified": wire.Modified, "deleted": wire.Deleted}
	switch words[0] {
	case "opened":
		in.kind = inOpened
		in.order = map[string]ordering{"ordered": orderSure, "unordered": orderNone}[arg(1)]
	case "elapsed":
		in.kind = inElapsed
	case "failed":
		in.kind, in.err = inFailed, scriptError(arg(1), opts)
	case "broken":
		in.kind, in.err = inBroken, scriptError(arg(1), opts)
	case "invalid":
		e := &wire.InvalidError{Reason: "planted"}
		if v, ok := opts["version"]; ok {
			e.Version = version(v)
		}
		if key := arg(1); key != "" {
			e.Key = scriptRecord(key, "1").Key
		}
		e.Event = events[arg(2)]
		in.kind, in.err = inInvalid, e
	case "item":
		in.kind, in.rec = inItem, scriptRecord(arg(1), arg(2))
	case "page":
		in.kind = inPageEnd
		in.meta = wire.ListMeta{Version: version(arg(1)), Continue: opts["continue"]}
	case "added", "modified", "deleted":
		in.kind, in.event = inEvent, wire.Event{Type: events[words[0]], Record: scriptRecord(arg(1), arg(2))}
	case "bookmark":
		in.kind = inEvent
		in.event = wire.Event{Type: wire.Bookmark, Record: wire.Record{Version: version(arg(1))}, InitialEventsEnd: arg(2) == "end"}
	case "error":
		in.kind = inEvent
		var status *apierrors.StatusError
		if !errors.As(scriptError(arg(1), opts), &status) {
			return nil, fmt.Errorf("%q is not a status", arg(1))
		}
		in.event = wire.Event{Type: wire.Error, Status: &status.ErrStatus}
	default:
		return nil, fmt.Errorf("unknown input %q", words[0])
	}
	return in, nil
}

func version(s string) wire.Version {
	v, err := wire.ParseVersion(s)
	if err != nil {
		panic(err)
	}
	return v
}

func scriptRecord(key, v string) wire.Record {
	ns, name, _ := strings.Cut(key, "/")
	return wire.Record{Key: wire.Key{Namespace: ns, Name: name}, UID: "u-" + name, Version: version(v)}
}

func scriptError(word string, opts map[string]string) error {
	switch word {
	case "eof":
		return io.EOF
	case "cut":
		return io.ErrUnexpectedEOF
	case "reset":
		return syscall.ECONNRESET
	case "refused":
		return syscall.ECONNREFUSED
	case "idle":
		return errIdle
	case "ended":
		return fmt.Errorf("planted: %w", ErrSourceEnded)
	case "damaged":
		return &wire.SyntaxError{Offset: 7, Reason: "planted"}
	case "ahead":
		return &apierrors.StatusError{ErrStatus: metav1.Status{
			Code: http.StatusGatewayTimeout, Reason: metav1.StatusReasonTimeout, Message: "Too large resource version: 9, current: 5",
			Details: &metav1.StatusDetails{RetryAfterSeconds: 1, Causes: []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge}}},
		}}
	}
	code, err := strconv.Atoi(word)
	if err != nil {
		panic("unknown error " + word)
	}
	retry, _ := strconv.Atoi(opts["retry"])
	e := apierrors.NewGenericServerResponse(code, "watch", resource, "", "planted", retry, true)
	if code == http.StatusGone {
		e.ErrStatus.Reason = metav1.StatusReasonExpired
	}
	return e
}
