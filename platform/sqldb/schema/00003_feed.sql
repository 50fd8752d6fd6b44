-- +goose Up
-- The feed: the transitions in the order of their commits (decision 27). Recorders of the
-- steps before do not write these tables, so their transitions are not in the feed.

-- What transactions have written and the sequencer has not numbered yet. kind is 1 (new),
-- 2 (late), 3 (corrected) or 4 (withdrawn: the revision is no transition any more).
CREATE TABLE feed_outbox (
  id ${ID},
  object_id BIGINT NOT NULL,
  version BIGINT NOT NULL,
  kind SMALLINT NOT NULL
) ${OPTIONS};
${COPY_RIGHTS:objects feed_outbox}

-- Positions have no gaps. recorded_at is when the sequencer assigned the position.
CREATE TABLE feed (
  position BIGINT NOT NULL PRIMARY KEY,
  object_id BIGINT NOT NULL,
  version BIGINT NOT NULL,
  kind SMALLINT NOT NULL,
  recorded_at BIGINT NOT NULL
) ${ORDERED};
CREATE INDEX feed_object ON feed (object_id, position, version);
${COPY_RIGHTS:objects feed}

-- One row. position is the last position that was assigned; oldest is the last one whose
-- row was deleted. The transaction of a sequencer updates the row, so two of them conflict.
CREATE TABLE feed_head (
  id BIGINT NOT NULL PRIMARY KEY,
  position BIGINT NOT NULL,
  oldest BIGINT NOT NULL
) ${OPTIONS};
${COPY_RIGHTS:objects feed_head}

INSERT INTO feed_head (id, position, oldest) VALUES (1, 0, 0);

-- What each named reader has read. token grows with each transaction of the reader, so
-- two replicas conflict. expired_at is 0 while retention heeds the cursor.
CREATE TABLE feed_cursors (
  name ${NAME} NOT NULL PRIMARY KEY,
  position BIGINT NOT NULL,
  token BIGINT NOT NULL,
  owner ${NAME} NOT NULL,
  created_at BIGINT NOT NULL,
  seen_at BIGINT NOT NULL,
  expired_at BIGINT NOT NULL
) ${OPTIONS};
${COPY_RIGHTS:objects feed_cursors}

INSERT INTO schema_compatibility (step, oldest_step) VALUES (3, 1);
