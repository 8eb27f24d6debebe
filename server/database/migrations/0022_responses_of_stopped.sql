-- A first response is kept also where nothing changed, such as a 404.

CREATE TRIGGER idempotent_requests_of_stopped AFTER INSERT ON idempotent_requests
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_if_stopped();
