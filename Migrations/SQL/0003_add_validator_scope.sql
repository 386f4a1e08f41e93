-- What the validators are about, as the adapter that got them calls it; NULL if it doesn't say.
ALTER TABLE catalog ADD COLUMN validator_scope TEXT;

-- What older validators are about isn't known: the next refresh asks for all.
UPDATE catalog SET entity_tag = NULL, last_modified = NULL;
