package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// console writes to the two outputs: data to out, everything else to err. Its
// methods may be called from any goroutine.
type console struct {
	mu       sync.Mutex
	out, err io.Writer
	colors   bool // on out
	live     bool // err is a terminal: progress can be drawn over
	drawn    bool // progress stands on the last line of err
	broken   error
}

func newConsole(out, err io.Writer, color string) *console {
	c := &console{out: out, err: err, live: isTerminal(err)}
	switch color {
	case "always":
		c.colors = true
	case "auto", "":
		c.colors = isTerminal(out) && os.Getenv("NO_COLOR") == ""
	}
	return c
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// print writes data at once and whole. After an error, such as a reader that
// has gone, it writes nothing more.
func (c *console) print(text string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken != nil {
		return c.broken
	}
	c.clearLocked()
	_, c.broken = io.WriteString(c.out, text)
	return c.broken
}

// say writes a line for the person who watches.
func (c *console) say(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clearLocked()
	fmt.Fprintf(c.err, format+"\n", args...)
}

// progress draws a line that the next one takes the place of. Where it can not
// be drawn over, it is left out: say tells what has come of it.
func (c *console) progress(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.live {
		return
	}
	c.clearLocked()
	fmt.Fprintf(c.err, format, args...)
	c.drawn = true
}

func (c *console) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clearLocked()
}

func (c *console) clearLocked() {
	if c.drawn {
		fmt.Fprint(c.err, "\r\x1b[K")
		c.drawn = false
	}
}

func clock(t time.Time) string { return t.Format("15:04:05.000") }
