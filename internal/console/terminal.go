package console

import "os"

// EnableEscapes makes a terminal obey escape sequences for colors and for the cursor. On
// Unix every terminal does. On Windows the console does only if the process asks. It does
// nothing for a file that is not a terminal.
func EnableEscapes(f *os.File) { enableEscapes(f) }
