-- +goose Up
-- Each recorder says every three seconds up to when everything that it has seen is committed.
-- Readers call nothing current that no recorder has confirmed. All times are by the clock of
-- the database, in microseconds.

-- A row for each recorder of a cluster. committed_at is the instant up to which everything
-- that the recorder has seen is committed. renewed_at is the time of the last heartbeat.
CREATE TABLE recorders (
  id ${ID},
  cluster_id BIGINT NOT NULL,
  name ${NAME} NOT NULL,
  committed_at BIGINT NOT NULL,
  renewed_at BIGINT NOT NULL,
  CONSTRAINT recorders_name UNIQUE (cluster_id, name)
) ${OPTIONS};
${COPY_RIGHTS:objects recorders}

-- A row for each scope of a recorder. behind_at replaces committed_at of the recorder where
-- this scope is behind; 0: it is not. heard_at is the time of the last frame or bookmark; it
-- is stored about every half minute. uid_range is that of shards.
CREATE TABLE recorder_scopes (
  recorder_id BIGINT NOT NULL,
  resource_id BIGINT NOT NULL,
  namespace ${WORD} NOT NULL,
  selector_hash BIGINT NOT NULL,
  selectors BIGINT NOT NULL,
  uid_range SMALLINT NOT NULL,
  behind_at BIGINT NOT NULL,
  heard_at BIGINT NOT NULL,
  PRIMARY KEY (recorder_id, resource_id, namespace, selector_hash)
) ${OPTIONS};
${COPY_RIGHTS:objects recorder_scopes}

INSERT INTO schema_compatibility (step, oldest_step) VALUES (10, 1);
