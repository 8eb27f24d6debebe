-- rejected: it scans the table while writes wait
ALTER TABLE partners ADD CONSTRAINT partners_name_check2 CHECK (name <> 'x');
