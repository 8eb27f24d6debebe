CREATE FUNCTION keep_channel() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.channel := coalesce(NEW.channel, OLD.channel);
    RETURN NEW;
END $$;
CREATE TRIGGER commission_lines_channel BEFORE UPDATE OF channel ON commission_lines
    FOR EACH ROW WHEN (NEW.channel IS NULL) EXECUTE FUNCTION keep_channel();
