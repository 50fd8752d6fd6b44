package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/vedette-io/vedette/internal/printable"
)

// console writes to the two outputs: data to out, everything else to err. Untrusted
// text is escaped wherever it is shown to people (decision 20); only document and
// styled write text unescaped. Its methods may be called from any goroutine.
type console struct {
	mu       sync.Mutex
	out, err *printable.Writer
	colors   bool // on out
	obeys    bool // out is a terminal, which obeys control characters
	live     bool // err is a terminal: progress can be drawn over
	drawn    bool // the last line of err is progress
	broken   error
}

func newConsole(out, err io.Writer, color string) *console {
	c := &console{out: printable.NewWriter(out), err: printable.NewWriter(err)}
	c.live, c.obeys = isTerminal(c.err.Raw()), isTerminal(c.out.Raw())
	switch color {
	case "always":
		c.colors = true
	case "auto", "":
		c.colors = c.terminal() && os.Getenv("NO_COLOR") == ""
	}
	return c
}

// isTerminal reports whether a reader or writer is a terminal.
func isTerminal(end any) bool {
	f, ok := end.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// terminal reports whether data goes to a terminal.
func (c *console) terminal() bool { return isTerminal(c.out.Raw()) }

// size returns the width and the height of the terminal, 0 and 0 without one.
func (c *console) size() (width, height int) {
	f, ok := c.out.Raw().(*os.File)
	if !ok || !isTerminal(f) {
		return 0, 0
	}
	width, height, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 80, 24
	}
	return width, height
}

// print writes text for people. Table cells are escaped earlier; print escapes
// everything else except line feeds and tabs.
func (c *console) print(text string) error { return c.write(c.out, text) }

// document writes text for programs, unescaped: JSON, YAML or CSV. A terminal is no program, so it
// gets the escapes of print.
func (c *console) document(text string) error {
	if c.obeys {
		return c.print(text)
	}
	return c.write(c.out.Raw(), text)
}

// styled writes an escaped row of a table that contains the program's own control
// sequences.
func (c *console) styled(row string) error { return c.write(c.out.Raw(), row) }

// write writes data at once and in full. After an error, such as a closed pipe, it
// writes nothing more.
func (c *console) write(w io.Writer, text string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken != nil {
		return c.broken
	}
	c.clearLocked()
	_, c.broken = io.WriteString(w, text)
	return c.broken
}

// say writes a line for the user. It escapes each argument as a part of that line.
func (c *console) say(format string, args ...any) {
	text := printable.Sprintf(format, args...)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clearLocked()
	fmt.Fprintln(c.err, text)
}

// progress draws a line that the next one replaces. It draws nothing if err is not a
// terminal; there, say reports the outcome.
func (c *console) progress(format string, args ...any) {
	text := printable.Sprintf(format, args...)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.live {
		return
	}
	c.clearLocked()
	fmt.Fprint(c.err, text)
	c.drawn = true
}

// ask writes a question, after which the user types on the same line.
func (c *console) ask(format string, args ...any) {
	text := printable.Sprintf(format, args...)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clearLocked()
	fmt.Fprint(c.err, text)
}

func (c *console) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clearLocked()
}

func (c *console) clearLocked() {
	if c.drawn {
		fmt.Fprint(c.err.Raw(), "\r\x1b[K")
		c.drawn = false
	}
}

func clock(t time.Time) string { return t.Format("15:04:05.000") }
