package console

import "os"

// EnableEscapes makes a terminal interpret escape sequences for colors and for the cursor. On
// Unix every terminal does. On Windows a console does so only on request. EnableEscapes has no
// effect on a file that is not a terminal.
func EnableEscapes(f *os.File) { enableEscapes(f) }
