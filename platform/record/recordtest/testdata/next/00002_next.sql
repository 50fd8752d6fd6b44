-- +goose Up
-- A made-up step of a later version. It renames a table that recorders write, and adds a
-- table, a column and a column of a view.
${RENAME_TABLE:transition_index term_hours term hour object_id}

CREATE TABLE next_rows (
  id ${ID},
  name ${NAME} NOT NULL
) ${OPTIONS};
${COPY_RIGHTS:objects next_rows}

ALTER TABLE gaps ADD COLUMN next_word ${WORD} NOT NULL DEFAULT '';

${REPLACE_VIEW:gap_times} AS
SELECT g.id, c.name AS cluster, r.api_group, r.name AS resource, g.namespace, g.recorder, g.cause, g.from_version, g.to_version, g.detail,
  ${TIME:g.from_at} AS from_at, ${TIME:g.to_at} AS to_at, ${TIME:g.healed_at} AS healed_at,
  g.selector_hash, g.next_word
FROM gaps g JOIN clusters c ON c.id = g.cluster_id JOIN resources r ON r.id = g.resource_id;

INSERT INTO schema_compatibility (step, oldest_step) VALUES (2, 1);
