package bodies

import "github.com/vedette-io/vedette/platform/internal/model"

// maxDifferences is the maximum number of consecutive revisions of an object that are
// stored as differences from one keyframe. The next revision is a keyframe.
const maxDifferences = 31

// keyframeCache holds the last keyframe of each object, encoded, up to a limit in bytes.
// The next revisions are stored as differences from them. Keyframes outside the cache are
// read from the database.
type keyframeCache struct {
	byObject map[int64]model.Keyframe
	size     int // in bytes, with overhead
	limit    int
}

func newKeyframeCache(limit int) *keyframeCache {
	return &keyframeCache{byObject: map[int64]model.Keyframe{}, limit: limit}
}

// overhead is the memory of a cached keyframe in addition to its bytes.
const overhead = 200

// put adds a keyframe, and evicts others to stay within the limit.
func (c *keyframeCache) put(k model.Keyframe) {
	c.drop(k.Object)
	c.size += len(k.Data) + overhead
	for other := range c.byObject {
		if c.size <= c.limit {
			break
		}
		c.drop(other)
	}
	c.byObject[k.Object] = k
}

// drop removes the keyframe of an object.
func (c *keyframeCache) drop(object int64) {
	if old, found := c.byObject[object]; found {
		c.size -= len(old.Data) + overhead
		delete(c.byObject, object)
	}
}
