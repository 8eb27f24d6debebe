-- rejected: it locks all rows to its end
UPDATE partners SET status = 'active';
