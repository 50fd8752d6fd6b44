package message

import (
	"cmp"
	"strings"
	"time"

	"github.com/vedette-io/vedette/job"
)

// Message is a notice in the words of one language, for one receiver. All text is plain
// and has no line breaks: invalid UTF-8, control and bidirectional characters are already
// escaped. A channel escapes it for its own syntax, and then cuts it with Fit, Limit and
// Cut.
type Message struct {
	// ID is the key of the delivery. It never changes for the same message.
	ID       string
	Kind     Kind
	Notice   *Notice
	Language string
	// State determines the color. For a wait it is Queued, for other timers Running, for a
	// digest its worst state. It is empty for GapClosed and Test.
	State job.State
	// StateWord is the word for State in the language.
	StateWord string

	// Title has the state, the reason and the job. Head is the title without the job, and
	// Name is the full name of the job.
	Title string
	Head  string
	Name  string
	// Sentence is the explanation. It is empty if nothing is known.
	Sentence string
	// ShortTitle and ShortSentence are Title and Sentence without their optional parts.
	ShortTitle, ShortSentence string
	Facts                     []Fact // at most six
	// Log is the end of the log, one line each, oldest first. LogTitle and LogNote describe
	// it ("Last log lines"; "worker-2, attempt 3, 8 of 2,000 kept").
	Log               []string
	LogTitle, LogNote string
	Strip             []Segment // the life of the job
	StripEnd          string    // time at the end of the strip
	Sections          []Section // of a digest
	// More is the number of rows that Fit removed from the sections, as text ("and 14
	// more").
	More    string
	Buttons []Button // at most three; the first one is primary, except for waits
	Footer  Footer
	URL     string // target of the first button; empty without a portal

	// Happened is the time of the event, else the time when it was seen.
	Happened time.Time
	// Thread is the same for all messages of a job: "UID@CLUSTER". It is empty without one.
	Thread string
	// Dedup is the same for all messages of a job and a rule, in at most 255 bytes.
	Dedup   string
	Resolve bool // see Notice
	Late    bool
	Rule    string
	Role    string
	// TemplateError is the reason why a template failed. Sentence contains it too.
	TemplateError string
	// Truncated names the parts that Fit removed: "log", "facts", "optional", "name",
	// "rows".
	Truncated []string
	// Place is "gpu-west / team-llm".
	Place string
	// JobLabel is the word "Job" in the language, for the line with the full name above
	// the facts.
	JobLabel string
	// Items are the notices of a digest that Sections shows.
	Items []Notice

	words *words
	left  int // number of rows that are not in Sections
}

// Fact is a label with its value. Note has details about it; it may be empty.
type Fact struct{ Label, Value, Note string }

// Button opens a page of the portal. It never triggers an action by itself.
type Button struct {
	Text, URL string
	Primary   bool
}

// Link is a text with an address. The address is empty without a portal.
type Link struct{ Text, URL string }

// Footer explains why the receiver gets the message.
type Footer struct {
	// Place is the cluster and the namespace. Why is a sentence with the role and the
	// rule.
	Place, Why string
	Mute       Link // of the job, or of today's digests
	Change     Link // the rule
	// Unsubscribe is the address that stops such messages after a POST without a sign-in (RFC 8058).
	Unsubscribe string
	Zone        string
	Note        string // details, such as a gap in a digest; may be empty

	placeEnd, whyEnd string // ends of the parts of Text; Compose sets them
}

// Text returns the footer as one line, without the addresses of its links.
func (f Footer) Text() string {
	text := f.Place
	if text != "" {
		text += cmp.Or(f.placeEnd, ". ")
	}
	if f.Why != "" {
		text += f.Why
		if f.placeEnd == "" || f.whyEnd != "" {
			text += " "
		}
	}
	links := make([]string, 0, 3)
	for _, link := range []Link{f.Mute, f.Change} {
		if link.URL != "" {
			links = append(links, link.Text)
		}
	}
	return text + strings.Join(append(links, f.Zone), " · ")
}

// Segment is a part of the life strip.
type Segment struct {
	State job.State
	// Share is the share of the whole life, above 0 and at most 1.
	Share float64
	// Label is "06:20 queued" or "07:03 attempt 1". It is empty for short segments.
	Label string
	// Holds is set if the job holds its GPUs: the strip is high.
	Holds bool
	Gap   bool
}

// Section is a part of a digest: jobs in one state, or failures with the same cause and
// node.
type Section struct {
	State job.State
	Title string
	Rows  []Row
	// Count is the number of rows before Fit removed some.
	Count int
}

// Row is a job of a digest. GPUs is "–" for none. Time is the time of day, or the waiting
// time of a wait.
type Row struct {
	Name, URL, Owner, GPUs, Text, Time string
	Late                               bool

	notice *Notice
}
