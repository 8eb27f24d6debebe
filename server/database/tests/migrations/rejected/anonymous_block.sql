-- rejected: its statements cannot be checked
DO $$ BEGIN UPDATE partners SET status = 'active'; END $$;
