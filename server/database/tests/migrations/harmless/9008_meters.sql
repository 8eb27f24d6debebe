-- in pieces
UPDATE meters SET requests_granted = 0 WHERE organization_id = $1 AND requests_granted <> 0;
