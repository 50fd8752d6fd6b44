package controlplane

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
)

// Compact makes etcd compact all revisions before the current one. A running API server
// can still serve older ones from its watch cache, which starts empty after a restart. To
// get a 410 reliably, call KillAPIServer, optionally change objects through another
// server, and call Compact and StartAPIServer.
//
// Errors: the response of etcd; the cause of ctx.
func (c *Cluster) Compact(ctx context.Context) error {
	revision, err := c.Revision(ctx)
	if err != nil {
		return err
	}
	return c.askEtcd(ctx, "/v3/kv/compaction", map[string]any{"revision": revision, "physical": true}, nil)
}

// Revision returns etcd's current revision: no resource version is greater.
//
// Errors: the response of etcd; the cause of ctx.
func (c *Cluster) Revision(ctx context.Context) (int64, error) {
	var status struct {
		Header struct {
			Revision string `json:"revision"`
		} `json:"header"`
	}
	if err := c.askEtcd(ctx, "/v3/maintenance/status", struct{}{}, &status); err != nil {
		return 0, err
	}
	revision, err := strconv.ParseInt(status.Header.Revision, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read etcd's revision: %w", err)
	}
	return revision, nil
}

// EtcdURL is the address of etcd and of its JSON gateway, for writes that are faster than
// an API server allows.
func (c *Cluster) EtcdURL() string { return "http://127.0.0.1:" + strconv.Itoa(c.ports.etcd) }

// askEtcd posts to the JSON gateway of etcd.
func (c *Cluster) askEtcd(ctx context.Context, path string, question, answer any) error {
	body, err := json.Marshal(question)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.EtcdURL()+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("call etcd: %w", err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err != nil || resp.StatusCode != http.StatusOK {
		return fmt.Errorf("call etcd at %s: %s: %.200s %v", path, resp.Status, text, err)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(text, answer)
}
