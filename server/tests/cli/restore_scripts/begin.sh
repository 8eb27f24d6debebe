# Starts PostgreSQL with an archive, and a server with two keys and a statement.
trap 'systemctl stop payout-server; systemctl stop postgresql' EXIT
mkdir "$FOLDER/archive"
chmod 777 "$FOLDER" "$FOLDER/archive"
as_postgres initdb --no-sync --auth=trust --encoding=UTF8 --locale=C --username=postgres \
  --pgdata="$FOLDER/pgdata" > "$FOLDER/initdb.log"
cat >> "$FOLDER/pgdata/postgresql.conf" <<END
listen_addresses = ''
fsync = off
unix_socket_directories = '$FOLDER'
archive_mode = on
archive_command = 'cp "%p" "$FOLDER/archive/%f"'
END
systemctl start postgresql
psql --quiet --dbname postgres --command 'CREATE ROLE payout_owner LOGIN' \
  --command 'CREATE ROLE payout_app LOGIN' --command 'CREATE DATABASE payout OWNER payout_owner'
payout-server migrate
systemctl start payout-server

call() {
  curl --silent --show-error --fail-with-body --header "x-api-key: $key" \
    --header "content-type: application/json" "$@"
}
value() { grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d '"' -f 4; }
status() { curl --silent --output /dev/null --write-out '%{http_code}' "$@"; }
status_of_ended() { status --header "x-api-key: $ended" "$API/partners"; }
organization=$(payout-server organizations create --name "Example Ltd")
payout-server organizations set-billing "$organization" --legal-name "Example Ltd" \
  --address-line-1 "1 Main Street" --postal-code "D02 X285" --city Dublin --country IE \
  --finance-email finance@example.com --company-number 123456
key=$(payout-server keys create --organization "$organization" --name kept --all-scopes)
created=$(payout-server keys create --organization "$organization" --name ended --all-scopes --json)
ended=$(printf '%s' "$created" | grep -o 'pcp_test_[A-Za-z0-9]*')
ended_id=$(printf '%s' "$created" | grep -o 'key_[A-Za-z0-9]*')
partner=$(call "$API/partners" --data '{"name": "Aurora", "domain": "aurora.example"}' | value id)
statement() {
  line='{"partnerId": "'$partner'", "amount": "15.00", "currency": "EUR",
    "description": "Order", "periodEnd": "2026-05-31T23:59:59.999Z"}'
  call "$API/commission-lines" --header "idempotency-key: $1" --data "$line" > "$FOLDER/line"
  period='{"periodStart": "2026-05-01T00:00:00.000Z", "periodEnd": "2026-05-31T23:59:59.999Z"}'
  batch=$(call "$API/payout-batches" --header "idempotency-key: $1" --data "$period" | value id)
  payout=$(call "$API/payouts?batchId=$batch" | value id)
  call --request POST "$API/payouts/$payout/statement" | value downloadUrl
}
before=$(statement before)
