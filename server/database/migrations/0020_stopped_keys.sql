-- The same of the organisation's keys: admission reads no table but theirs and the meters.

ALTER TABLE api_keys ADD COLUMN stopped_at timestamptz(3);
ALTER TABLE api_keys ADD COLUMN moved_to text;
