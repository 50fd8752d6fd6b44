-- +goose Up
-- Recorders that share the work (decision 35). Recorders of the steps before do not use
-- these tables, and record everything that they are configured to.

-- One row. version grows with each change of members, shards and offers, so members poll it.
CREATE TABLE shard_head (
  id BIGINT NOT NULL PRIMARY KEY,
  version BIGINT NOT NULL
) ${OPTIONS};
${COPY_RIGHTS:objects shard_head}

INSERT INTO shard_head (id, version) VALUES (1, 0);

-- A row for each recorder that shares. beat grows while the recorder is alive. silent is how
-- long others have seen it stand still, in microseconds of their own clocks; it is 0 again with
-- each beat. lease is the time after which silent means death, for people. A recorder
-- that comes back after its row was deleted gets another id, so its old writes are refused.
-- namelock identifies the lock that the process held on its name; it is empty without one.
CREATE TABLE shard_members (
  id ${ID},
  name ${NAME} NOT NULL,
  beat BIGINT NOT NULL,
  silent BIGINT NOT NULL,
  lease BIGINT NOT NULL,
  namelock ${WORD} NOT NULL,
  joined_at BIGINT NOT NULL,
  seen_at BIGINT NOT NULL,
  program ${WORD} NOT NULL,
  CONSTRAINT shard_members_name UNIQUE (name)
) ${OPTIONS};
${COPY_RIGHTS:objects shard_members}

-- A row for each target of a cluster. load_value is the measured work, in revisions a minute.
-- changed is the version of the last change of the row, so members read what is new.
CREATE TABLE shards (
  id ${ID},
  cluster_id BIGINT NOT NULL,
  resource_id BIGINT NOT NULL,
  namespace ${NAME} NOT NULL,
  selector_hash BIGINT NOT NULL,
  load_value BIGINT NOT NULL,
  changed BIGINT NOT NULL,
  CONSTRAINT shards_scope UNIQUE (cluster_id, resource_id, namespace, selector_hash)
) ${OPTIONS};
CREATE INDEX shards_changed ON shards (changed);
${COPY_RIGHTS:objects shards}

-- A row for each member that can record a shard. held is 1 while the member records it, and
-- -1 after the member has withdrawn the offer. Each
-- transaction that writes revisions adds 1 to batches where held is 1: it fails if the
-- member was removed, also in a cluster of databases without common locks.
CREATE TABLE shard_offers (
  shard_id BIGINT NOT NULL,
  member_id BIGINT NOT NULL,
  held SMALLINT NOT NULL,
  ready SMALLINT NOT NULL,
  held_at BIGINT NOT NULL,
  changed BIGINT NOT NULL,
  batches BIGINT NOT NULL,
  PRIMARY KEY (shard_id, member_id)
) ${OPTIONS};
CREATE INDEX shard_offers_member ON shard_offers (member_id);
CREATE INDEX shard_offers_changed ON shard_offers (changed);
${COPY_RIGHTS:objects shard_offers}

INSERT INTO schema_compatibility (step, oldest_step) VALUES (8, 1);
