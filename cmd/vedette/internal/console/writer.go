package console

import "bytes"

// LogWriter writes log lines to a console, so that they do not mix with its progress line.
type LogWriter struct{ Con *Console }

// Write implements io.Writer.
func (l LogWriter) Write(line []byte) (int, error) {
	l.Con.Say("%s", bytes.TrimRight(line, "\n"))
	return len(line), nil
}

// StyledWriter writes what channels print to the standard output of a console. They escape
// it.
type StyledWriter struct{ Con *Console }

// Write implements io.Writer.
func (m StyledWriter) Write(text []byte) (int, error) {
	if err := m.Con.Styled(string(text)); err != nil {
		return 0, err
	}
	return len(text), nil
}
