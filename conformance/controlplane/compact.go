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

// Compact lets etcd forget all revisions before its present one. A running API
// server can still serve older ones from its watch cache, which begins anew when
// it starts: for a sure 410 call KillAPIServer, change something (with a server
// that is back) or not, Compact, StartAPIServer.
//
// Errors: what etcd answers; the cause of ctx.
func (c *Cluster) Compact(ctx context.Context) error {
	revision, err := c.Revision(ctx)
	if err != nil {
		return err
	}
	return c.askEtcd(ctx, "/v3/kv/compaction", map[string]any{"revision": revision, "physical": true}, nil)
}

// Revision returns etcd's present revision: resource versions up to it are given.
//
// Errors: what etcd answers; the cause of ctx.
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
		return 0, fmt.Errorf("etcd's revision: %w", err)
	}
	return revision, nil
}

// EtcdURL is the address of etcd and of its JSON gateway, for who wants to write
// faster than an API server lets him.
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
		return fmt.Errorf("ask etcd: %w", err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err != nil || resp.StatusCode != http.StatusOK {
		return fmt.Errorf("ask etcd for %s: %s: %.200s %v", path, resp.Status, text, err)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(text, answer)
}
