package stream

import "context"

// sendInOrder sends events in rounds, each of which has at most one event of a key. A round
// is stored before the next one begins. So the order of a key holds for any broker and any
// fault, and different keys do not wait for each other. stored is called after each round.
func sendInOrder(ctx context.Context, sink Sink, events []Event, stored func(round []Event)) error {
	for _, round := range rounds(events) {
		if err := sink.Send(ctx, round); err != nil {
			return err
		}
		stored(round)
	}
	return nil
}

// rounds splits events. The n-th event of a key is in the n-th round.
func rounds(events []Event) [][]Event {
	var all [][]Event
	seen := make(map[string]int, len(events))
	for i := range events {
		n := seen[events[i].Key]
		seen[events[i].Key]++
		if n == len(all) {
			all = append(all, nil)
		}
		all[n] = append(all[n], events[i])
	}
	return all
}
