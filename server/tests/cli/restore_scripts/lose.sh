# Makes what a restore loses: a statement, a revocation, and charges.
after=$(statement after)
payout-server keys revoke "$ended_id"
echo "before the restore: $(status "$before") $(status "$after") $(status_of_ended)"
find "$PAYOUT_DATA_DIR/assets" -name '*.pdf' -exec touch -d '2 hours ago' {} +
