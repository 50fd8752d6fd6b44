-- +goose Up
CREATE TABLE clusters (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  uid VARCHAR(63) NOT NULL,
  name VARCHAR(317) NOT NULL,
  seen_at BIGINT NOT NULL,
  CONSTRAINT clusters_uid UNIQUE (uid)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE resources (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  api_group VARCHAR(317) NOT NULL,
  name VARCHAR(63) NOT NULL,
  kind VARCHAR(63) NOT NULL,
  CONSTRAINT resources_name UNIQUE (api_group, name)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- What each object is now, or was last.
CREATE TABLE objects (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  cluster_id BIGINT NOT NULL,
  resource_id BIGINT NOT NULL,
  namespace VARCHAR(63) NOT NULL,
  name VARCHAR(317) NOT NULL,
  uid VARCHAR(63) NOT NULL,
  owner_uid VARCHAR(63) NOT NULL,
  owner_kind VARCHAR(63) NOT NULL,
  owner_name VARCHAR(317) NOT NULL,
  queue VARCHAR(317) NOT NULL,
  submitter VARCHAR(317) NOT NULL,
  created_at BIGINT NOT NULL,
  seen_at BIGINT NOT NULL,
  presence SMALLINT NOT NULL,
  gone_at BIGINT NOT NULL,
  version BIGINT NOT NULL,
  state VARCHAR(63) NOT NULL,
  raw_state VARCHAR(317) NOT NULL,
  reason VARCHAR(317) NOT NULL,
  message TEXT NOT NULL,
  since BIGINT NOT NULL,
  labels_hash BIGINT NOT NULL,
  scope BIGINT NOT NULL,
  base BIGINT NOT NULL,
  depth SMALLINT NOT NULL,
  CONSTRAINT objects_uid UNIQUE (cluster_id, resource_id, uid)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
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
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- body names the content. data is it: whole, packed with a dictionary, or as what it
-- differs in from that of another revision of the object, whose version is base, and
-- which is whole.
CREATE TABLE revisions (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  object_id BIGINT NOT NULL,
  version BIGINT NOT NULL,
  deleted SMALLINT NOT NULL,
  source SMALLINT NOT NULL,
  seen_at BIGINT NOT NULL,
  state VARCHAR(63) NOT NULL,
  raw_state VARCHAR(317) NOT NULL,
  body BINARY(16) NOT NULL,
  base BIGINT NOT NULL,
  dictionary_id BIGINT NOT NULL,
  size INTEGER NOT NULL,
  data LONGBLOB NOT NULL,
  CONSTRAINT revisions_version UNIQUE (object_id, version)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE transitions (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  object_id BIGINT NOT NULL,
  version BIGINT NOT NULL,
  from_state VARCHAR(63) NOT NULL,
  to_state VARCHAR(63) NOT NULL,
  from_raw VARCHAR(317) NOT NULL,
  to_raw VARCHAR(317) NOT NULL,
  reason VARCHAR(317) NOT NULL,
  message TEXT NOT NULL,
  happened_at BIGINT NOT NULL,
  seen_at BIGINT NOT NULL,
  source SMALLINT NOT NULL,
  CONSTRAINT transitions_version UNIQUE (object_id, version)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
CREATE INDEX transitions_time ON transitions (happened_at, id);
CREATE INDEX transitions_state ON transitions (to_state, happened_at, id);

CREATE TABLE dictionaries (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  resource_id BIGINT NOT NULL,
  made_at BIGINT NOT NULL,
  data LONGBLOB NOT NULL
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
CREATE INDEX dictionaries_newest ON dictionaries (resource_id, id);

CREATE TABLE labels (
  object_id BIGINT NOT NULL,
  name VARCHAR(317) NOT NULL,
  value VARCHAR(63) NOT NULL,
  PRIMARY KEY (object_id, name)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- From which version to which a recorder has seen everything.
CREATE TABLE coverage (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  cluster_id BIGINT NOT NULL,
  resource_id BIGINT NOT NULL,
  namespace VARCHAR(63) NOT NULL,
  selector_hash BIGINT NOT NULL,
  recorder VARCHAR(317) NOT NULL,
  from_version BIGINT NOT NULL,
  to_version BIGINT NOT NULL,
  from_at BIGINT NOT NULL,
  to_at BIGINT NOT NULL
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
CREATE INDEX coverage_end ON coverage (cluster_id, resource_id, namespace, selector_hash, to_version);

CREATE TABLE gaps (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  cluster_id BIGINT NOT NULL,
  resource_id BIGINT NOT NULL,
  namespace VARCHAR(63) NOT NULL,
  selector_hash BIGINT NOT NULL,
  recorder VARCHAR(317) NOT NULL,
  cause VARCHAR(63) NOT NULL,
  from_version BIGINT NOT NULL,
  to_version BIGINT NOT NULL,
  from_at BIGINT NOT NULL,
  to_at BIGINT NOT NULL,
  detail TEXT NOT NULL,
  healed_at BIGINT NOT NULL
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
CREATE INDEX gaps_open ON gaps (cluster_id, resource_id, healed_at);

-- For people: names instead of numbers, and times that can be read.
CREATE VIEW object_times AS
SELECT o.id, c.name AS cluster, r.api_group, r.name AS resource, o.namespace, o.name, o.uid, o.owner_kind, o.owner_name, o.queue, o.submitter,
  o.state, o.raw_state, o.reason, o.message, o.version, o.presence, TIMESTAMPADD(MICROSECOND, NULLIF(o.created_at, 0), '1970-01-01') AS created_at, TIMESTAMPADD(MICROSECOND, NULLIF(o.seen_at, 0), '1970-01-01') AS seen_at,
  TIMESTAMPADD(MICROSECOND, NULLIF(o.since, 0), '1970-01-01') AS since, TIMESTAMPADD(MICROSECOND, NULLIF(o.gone_at, 0), '1970-01-01') AS gone_at
FROM objects o JOIN clusters c ON c.id = o.cluster_id JOIN resources r ON r.id = o.resource_id;

CREATE VIEW transition_times AS
SELECT t.id, t.object_id, c.name AS cluster, r.api_group, r.name AS resource, o.namespace, o.name, o.uid, t.version, t.from_state, t.to_state,
  t.from_raw, t.to_raw, t.reason, t.message, t.source, TIMESTAMPADD(MICROSECOND, NULLIF(t.happened_at, 0), '1970-01-01') AS happened_at, TIMESTAMPADD(MICROSECOND, NULLIF(t.seen_at, 0), '1970-01-01') AS seen_at
FROM transitions t JOIN objects o ON o.id = t.object_id JOIN clusters c ON c.id = o.cluster_id JOIN resources r ON r.id = o.resource_id;

CREATE VIEW gap_times AS
SELECT g.id, c.name AS cluster, r.api_group, r.name AS resource, g.namespace, g.recorder, g.cause, g.from_version, g.to_version, g.detail,
  TIMESTAMPADD(MICROSECOND, NULLIF(g.from_at, 0), '1970-01-01') AS from_at, TIMESTAMPADD(MICROSECOND, NULLIF(g.to_at, 0), '1970-01-01') AS to_at, TIMESTAMPADD(MICROSECOND, NULLIF(g.healed_at, 0), '1970-01-01') AS healed_at
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
