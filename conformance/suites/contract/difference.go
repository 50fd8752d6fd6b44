package contract

import (
	"fmt"
	"slices"
	"testing"
)

// Difference is a behavior of client-go that an engine of ours does not share.
type Difference struct {
	// Name is how the suite refers to it.
	Name string
	// When says what happens.
	When string
	// ClientGo and Ours say what follows.
	ClientGo, Ours string
}

func sorted(all []string) []string { return slices.Sorted(slices.Values(all)) }

// differs compares a result with that of the engine's side of a difference.
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
		t.Errorf("%s: got %v, and %s is %v", name, got, whose, want)
	}
}

func (s *stage) differs(name string, got, clientGo, ours any) {
	s.t.Helper()
	s.e.differs(s.t, name, got, clientGo, ours)
}

// Differences are all of them.
var Differences = []Difference{
	{
		Name: "garbage", When: "A watch has an event that cannot be decoded, or one of an unknown type.",
		ClientGo: "The informer reads the whole collection again, and calls OnUpdate for every object.",
		Ours:     "The informer skips the event, or watches again from the last version.",
	},
	{
		Name: "error event", When: "A watch ends with an error other than 410.",
		ClientGo: "The informer reads the whole collection again, and calls OnUpdate for every object.",
		Ours:     "The informer watches again from the last version.",
	},
	{
		Name: "failed watch", When: "The server answers a new watch with a 5xx error.",
		ClientGo: "The informer reads the whole collection again, and calls OnUpdate for every object.",
		Ours:     "The informer watches again from the last version.",
	},
	{
		Name: "storm", When: "The informer reads the whole collection again.",
		ClientGo: "OnUpdate is called for every object, changed or not.",
		Ours:     "OnUpdate is called for the objects that have changed.",
	},
	{
		Name: "unknown deletion", When: "A watch tells the deletion of an object that the store does not have.",
		ClientGo: "OnDelete is called.",
		Ours:     "Nothing is called: no handler has heard of the object.",
	},
	{
		Name: "first list", When: "The server has no streaming lists, and the informer lists for the first time.",
		ClientGo: "It takes whatever state the cache of the server has, however old.",
		Ours:     "It asks for the present state.",
	},
	{
		Name: "silent errors", When: "An error event ends an established watch.",
		ClientGo: "The watch error handler is not told.",
		Ours:     "The watch error handler is told.",
	},
	{
		Name: "endless list", When: "A server accepts a streaming list, and never sends the bookmark that ends it.",
		ClientGo: "The informer waits without a limit.",
		Ours:     "After a deadline, the informer lists.",
	},
	{
		Name: "transform twice", When: "The informer begins with a streaming list, and has a transform.",
		ClientGo: "The transform gets each object of the list twice.",
		Ours:     "The transform gets what the server has sent.",
	},
	{
		Name: "lower version", When: "An event has a lower version than the event before it.",
		ClientGo: "The version of the informer goes back, and the next watch begins there.",
		Ours:     "The version of the informer stays.",
	},
	{
		Name: "drain", When: "ShutDownWithDrain is called while an item waits in the queue.",
		ClientGo: "It returns as soon as no worker has an item, and the item may still wait.",
		Ours:     "It waits for the item, too, as long as workers take items.",
	},
	{
		Name: "done twice", When: "Done is called for an item that waits, and that no worker has.",
		ClientGo: "The item is in the queue a second time.",
		Ours:     "Nothing happens.",
	},
}
