-- rejected: it blocks writes while it scans the table
CREATE INDEX commission_lines_by_plan ON commission_lines (organization_id, plan_name);
