package readapi

// maxFollowers is the maximum number of logs that are followed at the same time.
const maxFollowers = 256

// followers counts the open streams of logs.
type followers struct{ places chan struct{} }

func newFollowers() followers { return followers{make(chan struct{}, maxFollowers)} }

// enter reserves a stream; false if all are in use.
func (f followers) enter() bool {
	select {
	case f.places <- struct{}{}:
		return true
	default:
		return false
	}
}

func (f followers) leave() { <-f.places }
