package followers

import (
	"testing"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/reflector"
)

// TestVersionReplaced: a type is served as v1beta1. Then v1 is served and stored, too, and
// v1beta1 is deprecated, and finally v1beta1 is not served. Followers of the type and of v1
// have all objects in the end, in the version that they follow. A follower of v1beta1 keeps
// the last objects, and says that they are not served. It has them again when v1beta1 is back.
func TestVersionReplaced(t *testing.T) {
	// Earlier servers do not end a watch at an object that they cannot decode. They leave it out and send the
	// next one, so each client of the old version misses a change. The last patches of 1.30 do.
	controlplane.Needs(t, "1.33", "watches that end at the first object in another version")
	n := testinput.Size(t, 40, 1000)
	w := NewWorld(t, controlplane.Options{}, Version("v1beta1", true, true, Sized()))
	w.Create(0, n)
	cfg := reflector.Config{}
	old := []*Follower{w.informer("v1beta1", plural+".v1beta1."+group, informer.Config{}), w.dropIn()}
	free := []*Follower{w.informer("any", typeName, informer.Config{}), w.resumed(typeName, informer.Config{}), w.recorder(typeName, cfg)}
	w.Agree("v1beta1", append(old, free...))

	w.redefine(Version("v1beta1", true, false, Sized()), Version("v1", true, true, Sized()))
	late := w.informer("v1", plural+".v1."+group, informer.Config{})
	patience.NoError(t, "v1 is served", func() error { w.version = "v1"; _, err := w.list(); return err })
	w.Agree("v1 beside v1beta1", []*Follower{late})
	w.Resize(0, 1000)
	w.Remove(1)
	w.Create(n, n+5)
	w.Agree("changes in v1", []*Follower{late})
	w.version = "v1beta1"
	w.Agree("changes in v1, as v1beta1", old)

	w.version = "v1"
	w.redefine(Version("v1beta1", false, false, Sized()), Version("v1", true, true, Sized()))
	patience.Until(t, "v1beta1 is not served", func() string {
		w.version = "v1beta1"
		_, err := w.list()
		w.version = "v1"
		if err == nil {
			return "it is"
		}
		return ""
	})
	w.Resize(2, 1000)
	w.Create(n+5, n+10)
	for _, f := range old {
		patience.Until(t, f.Name+" says that v1beta1 is not served", func() string {
			if h := f.Health(); h.Fault != reflector.Absent {
				return f.Condition()
			}
			return ""
		})
		if have, err := f.objects(); len(have) < n+4 || err != nil {
			t.Errorf("%s has %d objects, %v; want the last ones, at least %d", f.Name, len(have), err, n+4)
		}
	}
	w.Resize(3, 1000) // a recorder stores what a list shows of the newest object at a later version
	w.Agree("v1 without v1beta1", append(free, late))

	w.redefine(Version("v1beta1", true, false, Sized()), Version("v1", true, true, Sized()))
	w.version = "v1beta1"
	w.Agree("v1beta1 is back", old)
}
