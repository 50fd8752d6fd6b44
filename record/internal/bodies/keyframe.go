package bodies

import "github.com/vedette-io/vedette/record/internal/model"

// maxDifferences is how many revisions of an object in a row are stored as differences from
// the same keyframe. The next one is a keyframe.
const maxDifferences = 31

// keyframeCache holds the last keyframe of each object, encoded, up to a number of bytes:
// the next revisions are stored as differences from them. Others are read from the
// database.
type keyframeCache struct {
	byObject map[int64]model.Keyframe
	size     int // in bytes, with overhead
	limit    int
}

func newKeyframeCache(limit int) *keyframeCache {
	return &keyframeCache{byObject: map[int64]model.Keyframe{}, limit: limit}
}

// overhead is what a cached keyframe takes beside its bytes.
const overhead = 200

// put adds a keyframe, and drops any others beyond the limit.
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
