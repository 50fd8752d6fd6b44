package jobindex

// rowSet finds rows by a hash. A slot has the number of a row plus 1; 0 is an empty slot,
// and vacated a slot whose row was removed.
type rowSet struct {
	slots []uint32
	used  int // slots that are not empty
	live  int
}

const vacated = ^uint32(0)

// find returns the row with a hash that is the wanted one.
func (s *rowSet) find(hash uint64, wanted func(row uint32) bool) (uint32, bool) {
	if len(s.slots) == 0 {
		return 0, false
	}
	mask := uint64(len(s.slots) - 1)
	for i := hash & mask; s.slots[i] != 0; i = (i + 1) & mask {
		if slot := s.slots[i]; slot != vacated && wanted(slot-1) {
			return slot - 1, true
		}
	}
	return 0, false
}

// add adds a row that is not in the set. hashOf returns the hash of any row of the set.
func (s *rowSet) add(hash uint64, row uint32, hashOf func(uint32) uint64) {
	if s.used*4 >= len(s.slots)*3 {
		old := s.slots
		size := 16
		for size < s.live*2 {
			size *= 2
		}
		s.slots, s.used = make([]uint32, size), s.live
		for _, slot := range old {
			if slot != 0 && slot != vacated {
				s.place(hashOf(slot-1), slot)
			}
		}
	}
	s.place(hash, row+1)
	s.used++
	s.live++
}

func (s *rowSet) place(hash uint64, slot uint32) {
	mask := uint64(len(s.slots) - 1)
	i := hash & mask
	for s.slots[i] != 0 {
		i = (i + 1) & mask
	}
	s.slots[i] = slot
}

// remove removes a row.
func (s *rowSet) remove(hash uint64, row uint32) {
	mask := uint64(len(s.slots) - 1)
	for i := hash & mask; s.slots[i] != 0; i = (i + 1) & mask {
		if s.slots[i] == row+1 {
			s.slots[i] = vacated
			s.live--
			return
		}
	}
}

// hashID returns a hash that spreads consecutive numbers.
func hashID(id int64) uint64 {
	h := uint64(id) * 0x9e3779b97f4a7c15
	return h ^ h>>32
}
