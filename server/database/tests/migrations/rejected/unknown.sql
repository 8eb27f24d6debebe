-- rejected: it is not known to be harmless
VACUUM FULL partners;
