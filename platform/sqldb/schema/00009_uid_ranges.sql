-- +goose Up
-- A target may be divided into ranges of the hashes of UIDs (decision 35). uid_range is the
-- number of ranges plus the index of this one; 0: the target is not divided. For people:
-- selector_hash distinguishes ranges already.
ALTER TABLE shards ADD COLUMN uid_range SMALLINT NOT NULL DEFAULT 0;

INSERT INTO schema_compatibility (step, oldest_step) VALUES (9, 1);
