package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/patience"
)

// TestShards checks that two recorders share the types, that the command shows the recorders
// of each shard, and that the other recorder takes all shards when one ends.
func TestShards(t *testing.T) {
	t.Parallel()
	r := &archive{t: t, srv: recordable(t, apitest.Config{}), db: "sqlite:" + t.TempDir() + "/history.db"}
	r.srv.create(newPod("ml", "train"))
	join := func(name string) *program {
		p := start(t, "record", "pods,namespaces", "-A", "--kubeconfig", r.srv.kubeconfig, "--db", r.db, "--join", "--replicas-per-shard", "1", "--name", name, "--listen", "127.0.0.1:0")
		p.err.holds(t, "sharing pods")
		return p
	}
	shown := func() map[string]string {
		out, errs, code := runOnce(t, "shards", "--db", r.db, "-o", "ndjson")
		if code != 0 {
			t.Fatalf("exit code %d: %s", code, errs)
		}
		all := map[string]string{}
		for line := range strings.Lines(out) {
			var s shardDoc
			if err := json.Unmarshal([]byte(line), &s); err != nil {
				t.Fatal(err)
			}
			all[s.Type] = s.Recorders
		}
		return all
	}
	await := func(what string, met func(map[string]string) bool) {
		t.Helper()
		patience.Until(t, what, func() string {
			if s := shown(); !met(s) {
				return fmt.Sprint("got ", s)
			}
			return ""
		})
	}
	a := join("a")
	r.until("train", 1)
	await("a alone", func(s map[string]string) bool { return s["pods"] == "a" && s["namespaces"] == "a" })
	b := join("b")
	await("one each", func(s map[string]string) bool {
		return s["pods"]+s["namespaces"] == "ab" || s["pods"]+s["namespaces"] == "ba"
	})
	out, errs, code := runOnce(t, "shards", "--db", r.db)
	if code != 0 || !strings.Contains(out, "RECORDERS") || !strings.Contains(errs, "records 1 of 2 shards") {
		t.Errorf("exit code %d, printed\n%s%s", code, out, errs)
	}
	a.interrupt()
	await("b alone", func(s map[string]string) bool { return s["pods"] == "b" && s["namespaces"] == "b" })
	b.interrupt()
	if out, errs, code := runOnce(t, "shards", "--db", r.db); code != 0 || strings.Contains(out, "pods") || !strings.Contains(errs, "no recorder shares its work") {
		t.Errorf("exit code %d, printed\n%s%s", code, out, errs)
	}
}

// TestSharedRanges checks that recorders share the UID ranges of a type, that the command
// shows the ranges, and that a recorder alone refuses them.
func TestSharedRanges(t *testing.T) {
	t.Parallel()
	r := &archive{t: t, srv: recordable(t, apitest.Config{}), db: "sqlite:" + t.TempDir() + "/history.db"}
	r.srv.create(newPod("ml", "train"))
	config := file(t, "vedette.yaml", "clusters:\n- kubeconfig: "+r.srv.kubeconfig+"\n  resources:\n  - type: pods\n    uid-ranges: 4\n")
	args := []string{"record", "--config", config, "--db", r.db, "--listen", "127.0.0.1:0"}
	if _, errs := ended(t, 1, args...); !strings.Contains(errs, "uid-ranges divides a type among recorders, so it needs --join") {
		t.Errorf("without --join it said %s", errs)
	}
	a := start(t, append(args, "--join", "--name", "a")...)
	a.err.holds(t, "UID range 4/4")
	r.until("train", 1)
	patience.Until(t, "a holds four ranges", func() string {
		out, errs, code := runOnce(t, "shards", "--db", r.db, "-o", "csv")
		if code != 0 {
			t.Fatalf("exit code %d: %s", code, errs)
		}
		if strings.Count(out, ",a,") == 4 && strings.Contains(out, "1/4") && strings.Contains(out, "4/4") {
			return ""
		}
		return "got " + out
	})
	a.interrupt()
}

// TestJoinMistakes checks that illegal settings are errors.
func TestJoinMistakes(t *testing.T) {
	t.Parallel()
	srv := recordable(t, apitest.Config{})
	for _, c := range []struct{ flag, value, want string }{
		{"--replicas-per-shard", "0", "--replicas-per-shard: 0 recorders for each shard: want at least 1"},
		{"--join-lease", "1ms", "--join-lease is 1ms: want at least 1s"},
	} {
		_, errs, code := runOnce(t, "record", "pods", "--kubeconfig", srv.kubeconfig, "--db", "sqlite:"+t.TempDir()+"/h.db", "--join", c.flag, c.value)
		if code != 1 || !strings.Contains(errs, c.want) {
			t.Errorf("%s: exit code %d, said %s", c.flag, code, errs)
		}
	}
}

// shards runs the command with hostile text in the database.
func (h *hostile) shards(t *testing.T) {
	h.corrupt(`INSERT INTO shard_members (name, beat, silent, lease, namelock, joined_at, seen_at, program) VALUES (?1, 1, 0, 1, ?1, 1, 1, ?1)`, worse)
	h.corrupt(`INSERT INTO shards (cluster_id, resource_id, namespace, selector_hash, uid_range, load_value, changed) SELECT 1, id, ?1, 0, 0, 5, 1 FROM resources`, worse)
	h.corrupt(`INSERT INTO shard_offers (shard_id, member_id, held, ready, held_at, changed, batches) SELECT id, 1, 1, id % 2, 1, 1, 0 FROM shards`)
	for _, format := range formats {
		args := []string{"shards", "--db", h.db}
		if format != "" {
			args = append(args, "-o", format)
		}
		if out, errs, code := h.run(args...); code != 0 || !strings.Contains(out, "evil") && !strings.HasPrefix(format, "jsonpath") {
			t.Errorf("%q: exit code %d, output %s%s; want 0 and the hostile text, escaped", args, code, out, errs)
		}
	}
	h.run("shards", evil)
	h.run("shards", "--db", evil)
	h.run("shards", "--db", h.db, "-o", evil)
}
