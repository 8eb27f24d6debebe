//! Rules that every version of the schema must satisfy for tenants to stay apart, checked against
//! PostgreSQL's catalog. Exceptions are listed with a reason; one that is no longer needed is a
//! violation too.

use std::fmt::{self, Display};

use sqlx::PgConnection;

/// A rule of the catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// A table with `organization_id` forces row-level security, and each of its policies checks
    /// the organisation.
    ForcedRowSecurity,
    /// Its unique indexes begin with `organization_id`: else one tenant learns what another has.
    UniqueByOrganization,
    /// Its foreign keys carry `organization_id` on both sides: row-level security does not guard
    /// them.
    ForeignKeyByOrganization,
    /// No enum: under row-level security it cannot be an index condition.
    NoEnum,
    /// A view is `security_invoker`: else it reads with its owner's rights.
    InvokerView,
    /// No materialised view: it has no row-level security.
    NoMaterializedView,
    /// No SECURITY DEFINER function.
    NoSecurityDefiner,
    /// The app role has no attribute and no right that bypasses row-level security.
    HarmlessAppRole,
    /// The app role owns nothing: an owner can disable policies.
    NothingOwnedByApp,
    /// Every entry of the allow-list is needed.
    NeededExemption,
}

impl Rule {
    fn explanation(self) -> &'static str {
        match self {
            Self::ForcedRowSecurity => {
                "has organization_id but no forced row-level security, or a policy that does not \
                 check organization_id"
            }
            Self::UniqueByOrganization => "is unique but does not begin with organization_id",
            Self::ForeignKeyByOrganization => {
                "joins two tenant tables without organization_id on both sides"
            }
            Self::NoEnum => "is of an enum type; use text with a CHECK",
            Self::InvokerView => "is a view without security_invoker",
            Self::NoMaterializedView => "is a materialised view, which has no row-level security",
            Self::NoSecurityDefiner => "is SECURITY DEFINER",
            Self::HarmlessAppRole => {
                "is a right of the app role that reaches around row-level security"
            }
            Self::NothingOwnedByApp => "is owned by the app role",
            Self::NeededExemption => {
                "is an exemption that nothing needs any more; remove it from ALLOWED in catalog.rs"
            }
        }
    }
}

/// An object that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The rule.
    pub rule: Rule,
    /// The object, such as `api_keys_hash_key`.
    pub object: String,
}

impl Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.object, self.rule.explanation())
    }
}

/// An object that may break a rule.
struct Exemption {
    rule: Rule,
    object: &'static str,
    #[expect(dead_code, reason = "documents the list")]
    reason: &'static str,
}

/// Every exception there is. `organizations` needs none: it has no `organization_id`.
const ALLOWED: [Exemption; 3] = [
    Exemption {
        rule: Rule::ForcedRowSecurity,
        object: "api_keys",
        reason: "the gate finds the organisation by the key, so it reads before it knows one",
    },
    Exemption {
        rule: Rule::UniqueByOrganization,
        object: "api_keys_hash_key",
        reason: "the hash of a key is looked up across organisations, and is no tenant's choice",
    },
    Exemption {
        rule: Rule::ForcedRowSecurity,
        object: "meters",
        reason: "one admission statement counts requests of many organisations; the gate alone \
                 runs it",
    },
];

/// One query per rule, each with the columns it needs: `$1` is the app role. Objects are named as
/// in the search path.
const CHECKS: [(Rule, &str); 9] = [
    (
        Rule::ForcedRowSecurity,
        "SELECT c.relname::text FROM pg_class c
           JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'organization_id'
             AND NOT a.attisdropped
          WHERE c.relnamespace = 'payout'::regnamespace AND c.relkind IN ('r', 'p')
            AND $1::text IS NOT NULL
            AND (NOT c.relrowsecurity OR NOT c.relforcerowsecurity
                 -- Policies add up, so each one counts.
                 OR coalesce((
                      SELECT bool_or(coalesce(pg_get_expr(p.polqual, p.polrelid), '')
                                       !~ '\\morganization_id\\M'
                                 AND coalesce(pg_get_expr(p.polwithcheck, p.polrelid), '')
                                       !~ '\\morganization_id\\M')
                        FROM pg_policy p WHERE p.polrelid = c.oid AND p.polpermissive), true))",
    ),
    (
        Rule::UniqueByOrganization,
        "SELECT i.indexrelid::regclass::text FROM pg_index i
           JOIN pg_class c ON c.oid = i.indrelid AND c.relnamespace = 'payout'::regnamespace
           JOIN pg_attribute t ON t.attrelid = c.oid AND t.attname = 'organization_id'
             AND NOT t.attisdropped
          WHERE i.indisunique AND i.indkey[0] <> t.attnum AND $1::text IS NOT NULL",
    ),
    (
        Rule::ForeignKeyByOrganization,
        "SELECT k.conname::text FROM pg_constraint k
           JOIN pg_attribute f ON f.attrelid = k.conrelid AND f.attname = 'organization_id'
             AND NOT f.attisdropped
           JOIN pg_attribute t ON t.attrelid = k.confrelid AND t.attname = 'organization_id'
             AND NOT t.attisdropped
          WHERE k.contype = 'f' AND k.connamespace = 'payout'::regnamespace AND $1::text IS NOT NULL
            AND NOT EXISTS (SELECT FROM unnest(k.conkey, k.confkey) AS pair(here, there)
                             WHERE pair.here = f.attnum AND pair.there = t.attnum)",
    ),
    (
        Rule::NoEnum,
        "SELECT c.relname || '.' || a.attname FROM pg_attribute a
           JOIN pg_class c ON c.oid = a.attrelid AND c.relnamespace = 'payout'::regnamespace
             AND c.relkind IN ('r', 'p')
           JOIN pg_type t ON t.oid = a.atttypid
           LEFT JOIN pg_type e ON e.oid = t.typelem
          WHERE 'e' IN (t.typtype, e.typtype) AND a.attnum > 0 AND NOT a.attisdropped
            AND $1::text IS NOT NULL",
    ),
    (
        Rule::InvokerView,
        "SELECT relname::text FROM pg_class
          WHERE relnamespace = 'payout'::regnamespace AND relkind = 'v' AND $1::text IS NOT NULL
            AND NOT coalesce(reloptions && ARRAY['security_invoker=true', 'security_invoker=on',
                                                 'security_invoker=1'], false)",
    ),
    (
        Rule::NoMaterializedView,
        "SELECT relname::text FROM pg_class
          WHERE relnamespace = 'payout'::regnamespace AND relkind = 'm' AND $1::text IS NOT NULL",
    ),
    (
        Rule::NoSecurityDefiner,
        "SELECT oid::regprocedure::text FROM pg_proc
          WHERE pronamespace = 'payout'::regnamespace AND prosecdef AND $1::text IS NOT NULL",
    ),
    (
        Rule::HarmlessAppRole,
        "SELECT CASE WHEN r.rolsuper THEN 'SUPERUSER' WHEN r.rolbypassrls THEN 'BYPASSRLS'
                     WHEN r.rolcreaterole THEN 'CREATEROLE'
                     ELSE 'CREATEDB' END || ' of ' || r.rolname
           FROM pg_roles r
          WHERE pg_has_role($1::text, r.oid, 'MEMBER')
            AND (r.rolsuper OR r.rolbypassrls OR r.rolcreaterole OR r.rolcreatedb)
         UNION ALL
         SELECT 'CREATE in the schema payout'
          WHERE has_schema_privilege($1::text, 'payout', 'CREATE')
         -- TRUNCATE ignores policies, a trigger runs with another's rights, a foreign key
         -- reveals what exists.
         UNION ALL SELECT upper(right_) || ' on ' || c.relname
           FROM pg_class c, unnest(ARRAY['truncate', 'trigger', 'references']) AS right_
          WHERE c.relnamespace = 'payout'::regnamespace AND c.relkind IN ('r', 'p')
            AND has_table_privilege($1::text, c.oid, right_)",
    ),
    (
        Rule::NothingOwnedByApp,
        "SELECT 'schema ' || nspname FROM pg_namespace
          WHERE nspname = 'payout' AND nspowner = to_regrole($1::text)
         UNION ALL SELECT relname::text FROM pg_class
          WHERE relnamespace = 'payout'::regnamespace AND relkind NOT IN ('i', 'I')
            AND relowner = to_regrole($1::text)
         UNION ALL SELECT oid::regprocedure::text FROM pg_proc
          WHERE pronamespace = 'payout'::regnamespace AND proowner = to_regrole($1::text)",
    ),
];

/// Everything in the schema that breaks a rule, except what the allow-list names; tests expect
/// none. The schema must be in the connection's search path, as the options of this crate set it.
pub async fn catalog_violations(
    connection: &mut PgConnection,
    app_role: &str,
) -> Result<Vec<Violation>, sqlx::Error> {
    let mut found = Vec::new();
    for (rule, query) in CHECKS {
        let objects: Vec<String> =
            sqlx::query_scalar(query).bind(app_role).fetch_all(&mut *connection).await?;
        found.extend(objects.into_iter().map(|object| Violation { rule, object }));
    }
    Ok(without_allowed(found, &ALLOWED))
}

/// Removes what is allowed, and adds the entries that allowed nothing.
fn without_allowed(mut found: Vec<Violation>, allowed: &[Exemption]) -> Vec<Violation> {
    for exemption in allowed {
        let before = found.len();
        found.retain(|violation| {
            violation.rule != exemption.rule || violation.object != exemption.object
        });
        if found.len() == before {
            found.push(Violation {
                rule: Rule::NeededExemption,
                object: exemption.object.to_owned(),
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exemption_that_nothing_needs_is_a_violation() {
        let exemption =
            || Exemption { rule: Rule::NoEnum, object: "partners.status", reason: "for this test" };
        let broken = Violation { rule: Rule::NoEnum, object: "partners.status".to_owned() };
        assert_eq!(without_allowed(vec![broken], &[exemption()]), []);
        let left = without_allowed(Vec::new(), &[exemption()]);
        assert_eq!(left[0].rule, Rule::NeededExemption);
        assert!(left[0].to_string().starts_with("partners.status"));
    }
}
