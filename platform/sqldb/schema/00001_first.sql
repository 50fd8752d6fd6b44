-- +goose Up
CREATE TABLE clusters (
  id ${ID},
  uid ${WORD} NOT NULL,
  name ${NAME} NOT NULL,
  seen_at BIGINT NOT NULL,
  CONSTRAINT clusters_uid UNIQUE (uid)
) ${OPTIONS};

CREATE TABLE resources (
  id ${ID},
  api_group ${NAME} NOT NULL,
  name ${WORD} NOT NULL,
  kind ${WORD} NOT NULL,
  CONSTRAINT resources_name UNIQUE (api_group, name)
) ${OPTIONS};

-- The latest state of each object.
CREATE TABLE objects (
  id ${ID},
  cluster_id BIGINT NOT NULL,
  resource_id BIGINT NOT NULL,
  namespace ${WORD} NOT NULL,
  name ${NAME} NOT NULL,
  uid ${WORD} NOT NULL,
  owner_uid ${WORD} NOT NULL,
  owner_kind ${WORD} NOT NULL,
  owner_name ${NAME} NOT NULL,
  queue ${NAME} NOT NULL,
  submitter ${NAME} NOT NULL,
  created_at BIGINT NOT NULL,
  seen_at BIGINT NOT NULL,
  presence SMALLINT NOT NULL,
  gone_at BIGINT NOT NULL,
  version BIGINT NOT NULL,
  state ${WORD} NOT NULL,
  raw_state ${NAME} NOT NULL,
  reason ${NAME} NOT NULL,
  message ${TEXT} NOT NULL,
  since BIGINT NOT NULL,
  labels_hash BIGINT NOT NULL,
  scope BIGINT NOT NULL,
  base BIGINT NOT NULL,
  depth SMALLINT NOT NULL,
  CONSTRAINT objects_uid UNIQUE (cluster_id, resource_id, uid)
) ${OPTIONS};
CREATE INDEX objects_name ON objects (name, resource_id, namespace, id);
CREATE INDEX objects_state ON objects (state, since, id);
CREATE INDEX objects_presence ON objects (presence, cluster_id, resource_id);

-- The transition index; step 2 gives the table that name. An index entry says that an
-- object with a term changed its state in an hour. A term is the hash of a label, a
-- namespace, an owner and so on.
CREATE TABLE marks (
  term BIGINT NOT NULL,
  hour BIGINT NOT NULL,
  object_id BIGINT NOT NULL,
  PRIMARY KEY (term, hour, object_id)
) ${ORDERED};

-- body is the hash of the body, and data is the encoded body. A keyframe has base 0, and
-- its body is stored whole, compressed with a dictionary if dictionary_id is not 0. Any
-- other body is stored as a difference from a keyframe of the same object; base is the
-- version of that keyframe.
CREATE TABLE revisions (
  id ${ID},
  object_id BIGINT NOT NULL,
  version BIGINT NOT NULL,
  deleted SMALLINT NOT NULL,
  source SMALLINT NOT NULL,
  seen_at BIGINT NOT NULL,
  state ${WORD} NOT NULL,
  raw_state ${NAME} NOT NULL,
  body ${HASH} NOT NULL,
  base BIGINT NOT NULL,
  dictionary_id BIGINT NOT NULL,
  size INTEGER NOT NULL,
  data ${BLOB} NOT NULL,
  CONSTRAINT revisions_version UNIQUE (object_id, version)
) ${OPTIONS};

CREATE TABLE transitions (
  id ${ID},
  object_id BIGINT NOT NULL,
  version BIGINT NOT NULL,
  from_state ${WORD} NOT NULL,
  to_state ${WORD} NOT NULL,
  from_raw ${NAME} NOT NULL,
  to_raw ${NAME} NOT NULL,
  reason ${NAME} NOT NULL,
  message ${TEXT} NOT NULL,
  happened_at BIGINT NOT NULL,
  seen_at BIGINT NOT NULL,
  source SMALLINT NOT NULL,
  CONSTRAINT transitions_version UNIQUE (object_id, version)
) ${OPTIONS};
CREATE INDEX transitions_time ON transitions (happened_at, id);
CREATE INDEX transitions_state ON transitions (to_state, happened_at, id);

CREATE TABLE dictionaries (
  id ${ID},
  resource_id BIGINT NOT NULL,
  made_at BIGINT NOT NULL,
  data ${BLOB} NOT NULL
) ${OPTIONS};
CREATE INDEX dictionaries_newest ON dictionaries (resource_id, id);

CREATE TABLE labels (
  object_id BIGINT NOT NULL,
  name ${NAME} NOT NULL,
  value ${WORD} NOT NULL,
  PRIMARY KEY (object_id, name)
) ${ORDERED};

-- The intervals of versions of which a recorder has seen every revision.
CREATE TABLE coverage (
  id ${ID},
  cluster_id BIGINT NOT NULL,
  resource_id BIGINT NOT NULL,
  namespace ${WORD} NOT NULL,
  selector_hash BIGINT NOT NULL,
  recorder ${NAME} NOT NULL,
  from_version BIGINT NOT NULL,
  to_version BIGINT NOT NULL,
  from_at BIGINT NOT NULL,
  to_at BIGINT NOT NULL
) ${OPTIONS};
CREATE INDEX coverage_end ON coverage (cluster_id, resource_id, namespace, selector_hash, to_version);

CREATE TABLE gaps (
  id ${ID},
  cluster_id BIGINT NOT NULL,
  resource_id BIGINT NOT NULL,
  namespace ${WORD} NOT NULL,
  selector_hash BIGINT NOT NULL,
  recorder ${NAME} NOT NULL,
  cause ${WORD} NOT NULL,
  from_version BIGINT NOT NULL,
  to_version BIGINT NOT NULL,
  from_at BIGINT NOT NULL,
  to_at BIGINT NOT NULL,
  detail ${TEXT} NOT NULL,
  healed_at BIGINT NOT NULL
) ${OPTIONS};
CREATE INDEX gaps_open ON gaps (cluster_id, resource_id, healed_at);

-- Views for people, with names instead of IDs and with timestamps.
CREATE VIEW object_times AS
SELECT o.id, c.name AS cluster, r.api_group, r.name AS resource, o.namespace, o.name, o.uid, o.owner_kind, o.owner_name, o.queue, o.submitter,
  o.state, o.raw_state, o.reason, o.message, o.version, o.presence, ${TIME:o.created_at} AS created_at, ${TIME:o.seen_at} AS seen_at,
  ${TIME:o.since} AS since, ${TIME:o.gone_at} AS gone_at
FROM objects o JOIN clusters c ON c.id = o.cluster_id JOIN resources r ON r.id = o.resource_id;

CREATE VIEW transition_times AS
SELECT t.id, t.object_id, c.name AS cluster, r.api_group, r.name AS resource, o.namespace, o.name, o.uid, t.version, t.from_state, t.to_state,
  t.from_raw, t.to_raw, t.reason, t.message, t.source, ${TIME:t.happened_at} AS happened_at, ${TIME:t.seen_at} AS seen_at
FROM transitions t JOIN objects o ON o.id = t.object_id JOIN clusters c ON c.id = o.cluster_id JOIN resources r ON r.id = o.resource_id;

CREATE VIEW gap_times AS
SELECT g.id, c.name AS cluster, r.api_group, r.name AS resource, g.namespace, g.recorder, g.cause, g.from_version, g.to_version, g.detail,
  ${TIME:g.from_at} AS from_at, ${TIME:g.to_at} AS to_at, ${TIME:g.healed_at} AS healed_at
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
