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

-- What each object is now, or was last.
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
CREATE INDEX objects_name ON objects (cluster_id, resource_id, namespace, name, id);
CREATE INDEX objects_owner ON objects (owner_uid);
CREATE INDEX objects_state ON objects (state, since, id);

-- body names the content. data is it: whole, packed with a dictionary, or as what it
-- differs in from that of another revision of the object, whose version is base, and
-- which is whole.
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
) ${OPTIONS};
CREATE INDEX labels_value ON labels (name, value, object_id);

-- From which version to which a recorder has seen everything.
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

-- +goose Down
DROP TABLE gaps;
DROP TABLE coverage;
DROP TABLE labels;
DROP TABLE dictionaries;
DROP TABLE transitions;
DROP TABLE revisions;
DROP TABLE objects;
DROP TABLE resources;
DROP TABLE clusters;
