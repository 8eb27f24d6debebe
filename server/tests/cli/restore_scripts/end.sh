echo "after the restore: $(status "$before") $(status "$after") $(status_of_ended)"
