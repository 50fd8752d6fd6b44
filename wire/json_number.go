package wire

import "github.com/vedette-io/vedette/internal/jsontext"

// number consumes a number. It reads the byte after the number without consuming it; a
// number is never the last value of a list or a frame.
func (s *jsonScanner) number() error {
	c, err := s.peekRaw()
	if err != nil {
		return err
	}
	if c == '-' {
		s.w.pos++
		if c, err = s.peekRaw(); err != nil {
			return err
		}
	}
	switch {
	case c == '0':
		s.w.pos++
	case jsontext.IsDigit(c):
		if err := s.digits(0); err != nil {
			return err
		}
	default:
		return s.syntax("found %q, want a digit", c)
	}
	if err := s.fraction(); err != nil {
		return err
	}
	return s.exponent()
}

func (s *jsonScanner) fraction() error {
	c, err := s.peekRaw()
	if err != nil || c != '.' {
		return err
	}
	s.w.pos++
	return s.digits(1)
}

func (s *jsonScanner) exponent() error {
	c, err := s.peekRaw()
	if err != nil || c != 'e' && c != 'E' {
		return err
	}
	s.w.pos++
	if c, err = s.peekRaw(); err != nil {
		return err
	}
	if c == '+' || c == '-' {
		s.w.pos++
	}
	return s.digits(1)
}

// digits consumes all following digits. There must be at least atLeast.
func (s *jsonScanner) digits(atLeast int) error {
	for n := 0; ; n++ {
		c, err := s.peekRaw()
		if err != nil {
			return err
		}
		if !jsontext.IsDigit(c) {
			if n < atLeast {
				return s.syntax("found %q, want a digit", c)
			}
			return nil
		}
		s.w.pos++
	}
}
