INSERT INTO billing_information
       (organization_id, legal_name, address_line_1, address_line_2, postal_code, city,
        country, finance_email, company_number, vat_number)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
ON CONFLICT (organization_id) DO UPDATE
   SET legal_name = excluded.legal_name, address_line_1 = excluded.address_line_1,
       address_line_2 = excluded.address_line_2, postal_code = excluded.postal_code,
       city = excluded.city, country = excluded.country,
       finance_email = excluded.finance_email, company_number = excluded.company_number,
       vat_number = excluded.vat_number, updated_at = service_now()
