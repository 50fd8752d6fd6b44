package wire

// listPhase is the part of a list that comes next.
type listPhase uint8

const (
	phaseStart listPhase = iota
	phaseMembers
	phaseItems
	phaseTail
)

// objectList reads {"kind":…,"metadata":{…},"items":[…]} in JSON or CBOR. The members may be
// in any order.
type objectList struct {
	c       cursor
	opts    Options
	phase   listPhase
	members group
	items   group
	inner   group // the metadata of the list
	shard   group // shardInfo of the metadata
	item    objectReader
	own     head // head of the list
	lm      rawListMeta
}

func (l *objectList) meta() (ListMeta, error) {
	return l.lm.meta(&l.own, &l.opts, l.c.window().offset())
}

func (l *objectList) next() (Record, error) {
	w := l.c.window()
	for {
		w.keep()
		switch l.phase {
		case phaseStart:
			if _, err := l.c.frame(); err != nil {
				return Record{}, err
			}
			if err := l.c.enter(&l.members, "a map: this is not a list of the Kubernetes API"); err != nil {
				return Record{}, err
			}
			l.phase = phaseMembers
		case phaseMembers:
			if err := w.checked(l.member()); err != nil {
				return Record{}, err
			}
		case phaseItems:
			ok, err := l.c.element(&l.items)
			if err != nil {
				return Record{}, err
			}
			if ok {
				w.keep()
				if err := l.item.read(l.c); err != nil {
					return Record{}, err
				}
				return l.item.head.record(w, l.c.encoding(), &l.opts)
			}
			l.phase = phaseMembers
		case phaseTail:
			return Record{}, l.c.tail()
		}
	}
}

// member reads one member of the list. It stops at the first item of items.
func (l *objectList) member() error {
	defer l.lm.detach(&l.own)
	key, ok, err := l.c.member(&l.members)
	if err != nil {
		return err
	}
	if !ok {
		l.phase = phaseTail
		return nil
	}
	switch string(key) {
	case "apiVersion":
		return l.c.text(&l.own, "apiVersion", &l.own.apiVersion)
	case "kind":
		return l.c.text(&l.own, "kind", &l.own.kind)
	case "metadata":
		return l.metadata()
	case "items":
		l.lm.items = true
		ok, err := l.c.items(&l.items)
		if ok {
			l.phase = phaseItems
		}
		return err
	}
	return l.c.skip()
}

func (l *objectList) metadata() error {
	if ok, err := l.c.mapField(&l.own, "metadata", &l.inner); err != nil || !ok {
		return err
	}
	for {
		key, ok, err := l.c.member(&l.inner)
		if err != nil || !ok {
			return err
		}
		switch string(key) {
		case "resourceVersion":
			err = l.c.text(&l.own, "metadata.resourceVersion", &l.lm.version)
		case "continue":
			err = l.c.text(&l.own, "metadata.continue", &l.lm.next)
		case "remainingItemCount":
			err = l.c.integer(&l.lm.remaining)
		case "shardInfo":
			err = l.shardInfo()
		default:
			err = l.c.skip()
		}
		if err != nil {
			return err
		}
	}
}

func (l *objectList) shardInfo() error {
	if ok, err := l.c.mapField(&l.own, "metadata.shardInfo", &l.shard); err != nil || !ok {
		return err
	}
	for {
		key, ok, err := l.c.member(&l.shard)
		if err != nil || !ok {
			return err
		}
		if string(key) == "selector" {
			err = l.c.text(&l.own, "metadata.shardInfo.selector", &l.lm.shard)
		} else {
			err = l.c.skip()
		}
		if err != nil {
			return err
		}
	}
}
