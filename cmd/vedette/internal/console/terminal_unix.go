//go:build !windows

package console

import "os"

func enableEscapes(*os.File) {}
