package console

import (
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/term"

	"github.com/vedette-io/vedette/internal/printable"
)

// Console writes to the two outputs: data to out, everything else to err. Untrusted
// text is escaped wherever people see it (decision 20); only Document and Styled write text
// unescaped. Its methods may be called from any goroutine.
type Console struct {
	mu       sync.Mutex
	out, err *printable.Writer
	Colors   bool // on out
	Obeys    bool // out is a terminal, which interprets control characters
	Live     bool // err is a terminal: progress can be drawn over
	drawn    bool // the last line of err is progress
	broken   error
}

// New returns a console. color is auto, always or never.
func New(out, err io.Writer, color string) *Console {
	c := &Console{out: printable.NewWriter(out), err: printable.NewWriter(err)}
	c.Live, c.Obeys = IsTerminal(c.err.Raw()), IsTerminal(c.out.Raw())
	switch color {
	case "always":
		c.Colors = true
	case "auto", "":
		c.Colors = c.Terminal() && os.Getenv("NO_COLOR") == ""
	}
	return c
}

// IsTerminal reports whether a reader or writer is a terminal.
func IsTerminal(end any) bool {
	f, ok := end.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Terminal reports whether data goes to a terminal.
func (c *Console) Terminal() bool { return IsTerminal(c.out.Raw()) }

// File reports whether data goes to a file.
func (c *Console) File() bool {
	f, ok := c.out.Raw().(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular()
}

// Size returns the width and the height of the terminal, 0 and 0 without one.
func (c *Console) Size() (width, height int) {
	f, ok := c.out.Raw().(*os.File)
	if !ok || !IsTerminal(f) {
		return 0, 0
	}
	width, height, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 80, 24
	}
	return width, height
}

// Print writes text for people. Table cells are escaped earlier; Print escapes
// everything else except line feeds and tabs.
func (c *Console) Print(text string) error { return c.write(c.out, text) }

// Document writes text for programs, unescaped: JSON, YAML or CSV. On a terminal it
// escapes as Print does.
func (c *Console) Document(text string) error {
	if c.Obeys {
		return c.Print(text)
	}
	return c.write(c.out.Raw(), text)
}

// Styled writes an escaped row of a table that contains the program's own control
// sequences.
func (c *Console) Styled(row string) error { return c.write(c.out.Raw(), row) }

// write writes data at once and in full. After an error, such as a closed pipe, it
// writes nothing more.
func (c *Console) write(w io.Writer, text string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken != nil {
		return c.broken
	}
	c.clearLocked()
	_, c.broken = io.WriteString(w, text)
	return c.broken
}

// Say writes a line for the user. It escapes each argument as a part of that line.
func (c *Console) Say(format string, args ...any) {
	text := printable.Sprintf(format, args...)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clearLocked()
	fmt.Fprintln(c.err, text)
}

// Progress draws a line that the next one replaces. It draws nothing if err is not a
// terminal; Say then reports the outcome.
func (c *Console) Progress(format string, args ...any) {
	text := printable.Sprintf(format, args...)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.Live {
		return
	}
	c.clearLocked()
	fmt.Fprint(c.err, text)
	c.drawn = true
}

// Ask writes a question, after which the user types on the same line.
func (c *Console) Ask(format string, args ...any) {
	text := printable.Sprintf(format, args...)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clearLocked()
	fmt.Fprint(c.err, text)
}

// Clear removes the progress line.
func (c *Console) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clearLocked()
}

func (c *Console) clearLocked() {
	if c.drawn {
		fmt.Fprint(c.err.Raw(), "\r\x1b[K")
		c.drawn = false
	}
}
