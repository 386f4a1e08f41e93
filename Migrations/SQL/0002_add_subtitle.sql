-- A book's subtitle; NULL if the remote gave none.
ALTER TABLE book ADD COLUMN subtitle TEXT;

-- "Not modified" would be said of books that were read without it, for ever: the next refresh asks for all.
UPDATE catalog SET entity_tag = NULL, last_modified = NULL, answer_digest = NULL;
