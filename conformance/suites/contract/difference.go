package contract

import (
	"fmt"
	"slices"
	"testing"
)

// Difference is a behavior of client-go that our engine deliberately does not have.
type Difference struct {
	// Name is the name in the tests of the suite.
	Name string
	// When is the condition.
	When string
	// ClientGo and Ours are the behaviors.
	ClientGo, Ours string
}

func sorted(all []string) []string { return slices.Sorted(slices.Values(all)) }

// differs compares a result with the engine's side of a difference.
func (e Engine) differs(t *testing.T, name string, got, clientGo, ours any) {
	t.Helper()
	if !slices.ContainsFunc(Differences, func(d Difference) bool { return d.Name == name }) {
		t.Fatalf("the list of differences has no %q", name)
	}
	want, whose := clientGo, "client-go's"
	if e.Ours {
		want, whose = ours, "ours"
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: got %v, want %s result %v", name, got, whose, want)
	}
}

func (s *stage) differs(name string, got, clientGo, ours any) {
	s.t.Helper()
	s.e.differs(s.t, name, got, clientGo, ours)
}

// Differences are all differences.
var Differences = []Difference{
	{
		Name: "garbage", When: "A watch has an event that cannot be decoded, or one of an unknown type.",
		ClientGo: "The informer reads the whole list again, and calls OnUpdate for every object.",
		Ours:     "The informer skips the event, or resumes the watch at the last version.",
	},
	{
		Name: "error event", When: "A watch ends with an error other than 410.",
		ClientGo: "The informer reads the whole list again, and calls OnUpdate for every object.",
		Ours:     "The informer resumes the watch at the last version.",
	},
	{
		Name: "failed watch", When: "The server answers a new watch with a 5xx error.",
		ClientGo: "The informer reads the whole list again, and calls OnUpdate for every object.",
		Ours:     "The informer resumes the watch at the last version.",
	},
	{
		Name: "storm", When: "The informer reads the whole list again.",
		ClientGo: "OnUpdate is called for every object, changed or not.",
		Ours:     "OnUpdate is called for the objects that have changed.",
	},
	{
		Name: "unknown deletion", When: "A watch reports the deletion of an object that the store does not have.",
		ClientGo: "OnDelete is called.",
		Ours:     "Nothing is called: no handler has got the object.",
	},
	{
		Name: "first list", When: "The server has no streaming lists, and the informer lists for the first time.",
		ClientGo: "It accepts any state in the server's cache, however old.",
		Ours:     "It requests the current state.",
	},
	{
		Name: "silent errors", When: "An error event ends an established watch.",
		ClientGo: "The watch error handler is not called.",
		Ours:     "The watch error handler is called.",
	},
	{
		Name: "endless list", When: "A server accepts a streaming list, and never sends the bookmark that ends it.",
		ClientGo: "The informer waits without a limit.",
		Ours:     "After a deadline, the informer lists.",
	},
	{
		Name: "broken list", When: "A streaming list breaks before it is complete.",
		ClientGo: "The informer requests another streaming list.",
		Ours:     "The informer lists in pages.",
	},
	{
		Name: "silence", When: "A watch brings nothing for a while, not even a bookmark.",
		ClientGo: "The informer waits until the watch ends.",
		Ours:     "The informer requests a list of one object, and compares its version.",
	},
	{
		Name: "transform twice", When: "The informer begins with a streaming list, and has a transform.",
		ClientGo: "The transform gets each object of the list twice.",
		Ours:     "The transform gets each object as the server sent it.",
	},
	{
		Name: "lower version", When: "An event has a lower version than the previous event.",
		ClientGo: "The version of the informer decreases, and the next watch begins there.",
		Ours:     "The version of the informer does not change.",
	},
	{
		Name: "drain", When: "ShutDownWithDrain is called while an item waits in the queue.",
		ClientGo: "It returns as soon as no worker has an item, and the item may still wait.",
		Ours:     "It waits for the item, too, while workers take items.",
	},
	{
		Name: "done twice", When: "Done is called for a waiting item that no worker has.",
		ClientGo: "The item is in the queue a second time.",
		Ours:     "Nothing happens.",
	},
}
