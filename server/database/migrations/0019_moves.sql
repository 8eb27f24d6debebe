-- Where an organisation is while it moves to another database, a cell. No row of it changes while
-- it is stopped, so that a copy is complete.

ALTER TABLE organizations ADD COLUMN stopped_at timestamptz(3);
-- The cell that has it now; it stays stopped here.
ALTER TABLE organizations ADD COLUMN moved_to text;
-- When it came from another cell.
ALTER TABLE organizations ADD COLUMN imported_at timestamptz(3);
