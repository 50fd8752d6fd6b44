-- +goose Up
-- The table marks becomes transition_index. Recorders of the version before go on with
-- the old name until version N+1 removes it (decision 26).
${RENAME_TABLE:marks transition_index term hour object_id}

-- Says which programs work on the schema: a program must know oldest_step at least. Each
-- later step adds its row.
CREATE TABLE schema_compatibility (
  step BIGINT NOT NULL PRIMARY KEY,
  oldest_step BIGINT NOT NULL
) ${OPTIONS};
${COPY_RIGHTS:objects schema_compatibility}

INSERT INTO schema_compatibility (step, oldest_step) VALUES (2, 1);

-- The views for people get the terms of the glossary beside the older names of columns.
${REPLACE_VIEW:object_times} AS
SELECT o.id, c.name AS cluster, r.api_group, r.name AS resource, o.namespace, o.name, o.uid, o.owner_kind, o.owner_name, o.queue, o.submitter,
  o.state, o.raw_state, o.reason, o.message, o.version, o.presence, ${TIME:o.created_at} AS created_at, ${TIME:o.seen_at} AS seen_at,
  ${TIME:o.since} AS since, ${TIME:o.gone_at} AS gone_at,
  ${TIME:o.gone_at} AS deleted_at, o.scope AS selector_hash, o.labels_hash AS terms_hash, o.base AS keyframe_version, o.depth AS deltas,
  CASE o.presence WHEN 0 THEN 'present' WHEN 1 THEN 'deleted' WHEN 3 THEN 'unselected' ELSE 'unknown' END AS presence_name
FROM objects o JOIN clusters c ON c.id = o.cluster_id JOIN resources r ON r.id = o.resource_id;

${REPLACE_VIEW:transition_times} AS
SELECT t.id, t.object_id, c.name AS cluster, r.api_group, r.name AS resource, o.namespace, o.name, o.uid, t.version, t.from_state, t.to_state,
  t.from_raw, t.to_raw, t.reason, t.message, t.source, ${TIME:t.happened_at} AS happened_at, ${TIME:t.seen_at} AS seen_at,
  t.from_raw AS from_raw_state, t.to_raw AS to_raw_state,
  CASE t.source WHEN 1 THEN 'watch' WHEN 2 THEN 'list' WHEN 3 THEN 'relist' ELSE 'inferred' END AS source_name
FROM transitions t JOIN objects o ON o.id = t.object_id JOIN clusters c ON c.id = o.cluster_id JOIN resources r ON r.id = o.resource_id;

${REPLACE_VIEW:gap_times} AS
SELECT g.id, c.name AS cluster, r.api_group, r.name AS resource, g.namespace, g.recorder, g.cause, g.from_version, g.to_version, g.detail,
  ${TIME:g.from_at} AS from_at, ${TIME:g.to_at} AS to_at, ${TIME:g.healed_at} AS healed_at,
  g.selector_hash
FROM gaps g JOIN clusters c ON c.id = g.cluster_id JOIN resources r ON r.id = g.resource_id;
