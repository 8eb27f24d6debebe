-- rejected: it waits for every reader
DROP INDEX commission_lines_by_age;
