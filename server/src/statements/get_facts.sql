SELECT service_now() AS "now!", payout.statement_revision AS payout_revision,
       organization.statement_revision AS organization_revision,
       current.is_uploaded AS "is_uploaded?", asset.id AS "asset_id?: AssetId",
       asset.filename AS "filename?", asset.length AS "length?",
       asset.sha256 AS "sha256?: [u8; 32]", asset.damaged_at AS "damaged_at?",
       (SELECT count(*) FROM commission_lines AS line
         WHERE line.organization_id = $1 AND line.payout_id = $2) AS "line_count!",
       billing.legal_name AS "legal_name?", billing.address_line_1 AS "address_line_1?",
       billing.address_line_2, billing.postal_code AS "postal_code?",
       billing.city AS "city?", billing.country AS "country?",
       billing.finance_email AS "finance_email?", billing.company_number,
       billing.vat_number, template.title, template.accent_colour, template.footer,
       template.logo, partner.name AS partner_name, payout.period_start,
       payout.period_end, payout.currency, payout.amount, payout.po_number,
       payout.metadata ->> 'statementNote' AS note
  FROM payouts AS payout
  JOIN organizations AS organization ON organization.id = payout.organization_id
  JOIN partners AS partner
    ON partner.organization_id = payout.organization_id
   AND partner.id = payout.partner_id
  LEFT JOIN billing_information AS billing
    ON billing.organization_id = payout.organization_id
  LEFT JOIN statement_templates AS template
    ON template.organization_id = payout.organization_id
  LEFT JOIN current_statements AS current
    ON current.organization_id = payout.organization_id AND current.payout_id = payout.id
   AND (current.is_uploaded
        OR (current.payout_revision = payout.statement_revision
            AND current.organization_revision = organization.statement_revision))
  LEFT JOIN assets AS asset
    ON asset.organization_id = payout.organization_id AND asset.id = current.asset_id
 WHERE payout.organization_id = $1 AND payout.id = $2
