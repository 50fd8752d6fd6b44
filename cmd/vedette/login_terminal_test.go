//go:build linux

package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/internal/patience"
)

// terminal opens a pseudoterminal. Writing to keyboard types on screen.
func terminal(t *testing.T) (keyboard, screen *os.File) {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = keyboard.Close() })
	fd := int(keyboard.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if screen, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = screen.Close() })
	return keyboard, screen
}

// TestPastedTokenIsNotShown checks that a terminal does not show a pasted token.
func TestPastedTokenIsNotShown(t *testing.T) {
	const token = "correct-horse-battery-staple"
	keyboard, screen := terminal(t)
	errs := newOutput()
	con := console.New(newOutput(), errs, "never")
	read := make(chan string, 1)
	go func() {
		k, err := pasted(screen, con)
		read <- fmt.Sprint(k.Token, " ", err)
	}()
	errs.holds(t, "which is not shown") // the echo is off a moment later
	patience.Until(t, "the end of the echo", func() string {
		state, err := unix.IoctlGetTermios(int(screen.Fd()), unix.TCGETS)
		if err != nil {
			t.Fatal(err)
		}
		if state.Lflag&unix.ECHO != 0 {
			return "the terminal shows what is typed"
		}
		return ""
	})
	if _, err := keyboard.WriteString(token + "\n"); err != nil {
		t.Fatal(err)
	}
	if got := patience.Receive(t, "the token", read); got != token+" <nil>" {
		t.Errorf("read %q, want the token", got)
	}
	if _, err := screen.WriteString("the end\n"); err != nil {
		t.Fatal(err)
	}
	var shown strings.Builder
	for lines := bufio.NewScanner(keyboard); lines.Scan(); {
		if shown.WriteString(lines.Text()); strings.Contains(shown.String(), "the end") {
			break
		}
	}
	if strings.Contains(shown.String()+errs.String(), token) {
		t.Errorf("the token is shown: %q", shown.String())
	}
}
