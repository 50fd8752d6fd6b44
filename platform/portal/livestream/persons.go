package livestream

import "sync"

// persons counts the streams of each person. The zero value is ready to use.
type persons struct {
	mu   sync.Mutex
	open map[string]int
}

// enter counts a stream, unless the person has reached the maximum. The empty name is not counted.
func (p *persons) enter(name string, most int) bool {
	if name == "" {
		return true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open == nil {
		p.open = map[string]int{}
	}
	if p.open[name] >= most {
		return false
	}
	p.open[name]++
	return true
}

// full reports whether a person has reached the maximum.
func (p *persons) full(name string, most int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return name != "" && p.open[name] >= most
}

// leave uncounts a stream.
func (p *persons) leave(name string) {
	if name == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open[name]--; p.open[name] <= 0 {
		delete(p.open, name)
	}
}
