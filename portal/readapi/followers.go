package readapi

// maxFollowers is how many logs are followed at the same time.
const maxFollowers = 256

// followers counts the open streams of logs.
type followers struct{ places chan struct{} }

func newFollowers() followers { return followers{make(chan struct{}, maxFollowers)} }

// enter takes a place; false if there is none.
func (f followers) enter() bool {
	select {
	case f.places <- struct{}{}:
		return true
	default:
		return false
	}
}

func (f followers) leave() { <-f.places }
