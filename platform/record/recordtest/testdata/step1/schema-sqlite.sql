-- +goose Up
CREATE TABLE clusters (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uid TEXT NOT NULL,
  name TEXT NOT NULL,
  seen_at BIGINT NOT NULL,
  CONSTRAINT clusters_uid UNIQUE (uid)
);

CREATE TABLE resources (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  api_group TEXT NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  CONSTRAINT resources_name UNIQUE (api_group, name)
);

-- What each object is now, or was last.
CREATE TABLE objects (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  cluster_id BIGINT NOT NULL,
  resource_id BIGINT NOT NULL,
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  uid TEXT NOT NULL,
  owner_uid TEXT NOT NULL,
  owner_kind TEXT NOT NULL,
  owner_name TEXT NOT NULL,
  queue TEXT NOT NULL,
  submitter TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  seen_at BIGINT NOT NULL,
  presence SMALLINT NOT NULL,
  gone_at BIGINT NOT NULL,
  version BIGINT NOT NULL,
  state TEXT NOT NULL,
  raw_state TEXT NOT NULL,
  reason TEXT NOT NULL,
  message TEXT NOT NULL,
  since BIGINT NOT NULL,
  labels_hash BIGINT NOT NULL,
  scope BIGINT NOT NULL,
  base BIGINT NOT NULL,
  depth SMALLINT NOT NULL,
  CONSTRAINT objects_uid UNIQUE (cluster_id, resource_id, uid)
);
CREATE INDEX objects_name ON objects (name, resource_id, namespace, id);
CREATE INDEX objects_state ON objects (state, since, id);
CREATE INDEX objects_presence ON objects (presence, cluster_id, resource_id);

-- In which hours objects have changed their state, by what they are looked for: a
-- label, the namespace, the owner and so on, as a hash (mark.go).
CREATE TABLE marks (
  term BIGINT NOT NULL,
  hour BIGINT NOT NULL,
  object_id BIGINT NOT NULL,
  PRIMARY KEY (term, hour, object_id)
) WITHOUT ROWID;

-- body names the content. data is it: whole, packed with a dictionary, or as what it
-- differs in from that of another revision of the object, whose version is base, and
-- which is whole.
CREATE TABLE revisions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  object_id BIGINT NOT NULL,
  version BIGINT NOT NULL,
  deleted SMALLINT NOT NULL,
  source SMALLINT NOT NULL,
  seen_at BIGINT NOT NULL,
  state TEXT NOT NULL,
  raw_state TEXT NOT NULL,
  body BLOB NOT NULL,
  base BIGINT NOT NULL,
  dictionary_id BIGINT NOT NULL,
  size INTEGER NOT NULL,
  data BLOB NOT NULL,
  CONSTRAINT revisions_version UNIQUE (object_id, version)
);

CREATE TABLE transitions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  object_id BIGINT NOT NULL,
  version BIGINT NOT NULL,
  from_state TEXT NOT NULL,
  to_state TEXT NOT NULL,
  from_raw TEXT NOT NULL,
  to_raw TEXT NOT NULL,
  reason TEXT NOT NULL,
  message TEXT NOT NULL,
  happened_at BIGINT NOT NULL,
  seen_at BIGINT NOT NULL,
  source SMALLINT NOT NULL,
  CONSTRAINT transitions_version UNIQUE (object_id, version)
);
CREATE INDEX transitions_time ON transitions (happened_at, id);
CREATE INDEX transitions_state ON transitions (to_state, happened_at, id);

CREATE TABLE dictionaries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  resource_id BIGINT NOT NULL,
  made_at BIGINT NOT NULL,
  data BLOB NOT NULL
);
CREATE INDEX dictionaries_newest ON dictionaries (resource_id, id);

CREATE TABLE labels (
  object_id BIGINT NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (object_id, name)
) WITHOUT ROWID;

-- From which version to which a recorder has seen everything.
CREATE TABLE coverage (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  cluster_id BIGINT NOT NULL,
  resource_id BIGINT NOT NULL,
  namespace TEXT NOT NULL,
  selector_hash BIGINT NOT NULL,
  recorder TEXT NOT NULL,
  from_version BIGINT NOT NULL,
  to_version BIGINT NOT NULL,
  from_at BIGINT NOT NULL,
  to_at BIGINT NOT NULL
);
CREATE INDEX coverage_end ON coverage (cluster_id, resource_id, namespace, selector_hash, to_version);

CREATE TABLE gaps (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  cluster_id BIGINT NOT NULL,
  resource_id BIGINT NOT NULL,
  namespace TEXT NOT NULL,
  selector_hash BIGINT NOT NULL,
  recorder TEXT NOT NULL,
  cause TEXT NOT NULL,
  from_version BIGINT NOT NULL,
  to_version BIGINT NOT NULL,
  from_at BIGINT NOT NULL,
  to_at BIGINT NOT NULL,
  detail TEXT NOT NULL,
  healed_at BIGINT NOT NULL
);
CREATE INDEX gaps_open ON gaps (cluster_id, resource_id, healed_at);

-- For people: names instead of numbers, and times that can be read.
CREATE VIEW object_times AS
SELECT o.id, c.name AS cluster, r.api_group, r.name AS resource, o.namespace, o.name, o.uid, o.owner_kind, o.owner_name, o.queue, o.submitter,
  o.state, o.raw_state, o.reason, o.message, o.version, o.presence, strftime('%Y-%m-%d %H:%M:%fZ', NULLIF(o.created_at, 0) / 1000000.0, 'unixepoch') AS created_at, strftime('%Y-%m-%d %H:%M:%fZ', NULLIF(o.seen_at, 0) / 1000000.0, 'unixepoch') AS seen_at,
  strftime('%Y-%m-%d %H:%M:%fZ', NULLIF(o.since, 0) / 1000000.0, 'unixepoch') AS since, strftime('%Y-%m-%d %H:%M:%fZ', NULLIF(o.gone_at, 0) / 1000000.0, 'unixepoch') AS gone_at
FROM objects o JOIN clusters c ON c.id = o.cluster_id JOIN resources r ON r.id = o.resource_id;

CREATE VIEW transition_times AS
SELECT t.id, t.object_id, c.name AS cluster, r.api_group, r.name AS resource, o.namespace, o.name, o.uid, t.version, t.from_state, t.to_state,
  t.from_raw, t.to_raw, t.reason, t.message, t.source, strftime('%Y-%m-%d %H:%M:%fZ', NULLIF(t.happened_at, 0) / 1000000.0, 'unixepoch') AS happened_at, strftime('%Y-%m-%d %H:%M:%fZ', NULLIF(t.seen_at, 0) / 1000000.0, 'unixepoch') AS seen_at
FROM transitions t JOIN objects o ON o.id = t.object_id JOIN clusters c ON c.id = o.cluster_id JOIN resources r ON r.id = o.resource_id;

CREATE VIEW gap_times AS
SELECT g.id, c.name AS cluster, r.api_group, r.name AS resource, g.namespace, g.recorder, g.cause, g.from_version, g.to_version, g.detail,
  strftime('%Y-%m-%d %H:%M:%fZ', NULLIF(g.from_at, 0) / 1000000.0, 'unixepoch') AS from_at, strftime('%Y-%m-%d %H:%M:%fZ', NULLIF(g.to_at, 0) / 1000000.0, 'unixepoch') AS to_at, strftime('%Y-%m-%d %H:%M:%fZ', NULLIF(g.healed_at, 0) / 1000000.0, 'unixepoch') AS healed_at
FROM gaps g JOIN clusters c ON c.id = g.cluster_id JOIN resources r ON r.id = g.resource_id;

-- +goose Down
DROP VIEW gap_times;
DROP VIEW transition_times;
DROP VIEW object_times;
DROP TABLE marks;
DROP TABLE gaps;
DROP TABLE coverage;
DROP TABLE labels;
DROP TABLE dictionaries;
DROP TABLE transitions;
DROP TABLE revisions;
DROP TABLE objects;
DROP TABLE resources;
DROP TABLE clusters;
