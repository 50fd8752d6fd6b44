package console

import (
	"os"

	"golang.org/x/sys/windows"
)

func enableEscapes(f *os.File) {
	console := windows.Handle(f.Fd())
	var mode uint32
	if windows.GetConsoleMode(console, &mode) != nil {
		return // not a console
	}
	// Consoles before Windows 10 return an error, and show escape sequences as text.
	_ = windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING)
}
